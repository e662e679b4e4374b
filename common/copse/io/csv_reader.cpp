#include <copse/io/bytes/text_numbers.hpp>
#include <copse/io/bytes/text_rows.hpp>
#include <copse/io/csv_reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace copse::io {

namespace {

/// The quantities a column can hold, in the order of columns without names.
enum Quantity { x, y, z, vx, vy, vz, mass, id, weight, quantities };
constexpr std::array<std::string_view, quantities> quantity_names{"x",  "y",    "z",  "vx",    "vy",
                                                                  "vz", "mass", "id", "weight"};

constexpr int absent = -1;
using Columns = std::array<int, quantities>;  ///< the column of each quantity, or `absent`

using Fields = TextRows::Fields;

class CsvReader final : public SnapshotReader {
 public:
  explicit CsvReader(std::unique_ptr<ByteSource> source) : rows_(std::move(source)) {
    columns_.fill(absent);
    rows_.scan([this](const Fields& fields, Count line, const Fields& comment) {
      return find_columns(fields, line, comment);
    });
    info_.particles = rows_.rows();
    info_.format = "csv";
    info_.detail =
        fmt::format("{} columns, {}, {}", rows_.columns(), named_ ? "named" : "by position",
                    rows_.separator() == ','   ? "comma"
                    : rows_.separator() == ';' ? "semicolon"
                                               : "blank separated");
    info_.by_species[static_cast<std::size_t>(Species::other)] = info_.particles;
    info_.columns.velocity = has(vx) && has(vy) && has(vz);
    info_.columns.mass = has(mass);
    info_.columns.id = has(id);
    info_.columns.weight = has(weight);
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const Particles<Kokkos::HostSpace>& into,
                 const Progress& progress) override {
    rows_.read(first, into.size(), progress,
               [&](Count i, const Fields& fields, Count line) { set_row(into, i, fields, line); });
  }

 private:
  bool has(Quantity q) const { return columns_[q] != absent; }

  /// Finds the columns at the first line with content. True if that is a header.
  bool find_columns(const Fields& fields, Count line, const Fields& names) {
    if (std::none_of(fields.begin(), fields.end(), is_number)) {
      if (const std::string_view twice = name_columns(fields); !twice.empty())
        rows_.fail(line, fmt::format("names two columns {}", twice));
      for (const Quantity q : {x, y, z})
        if (!has(q))
          rows_.fail(line, fmt::format("is a header without a column named {}", quantity_names[q]));
      return true;
    }
    if (names.size() == fields.size() && name_columns(names).empty() && has(x) && has(y) && has(z))
      return false;
    columns_.fill(absent);
    named_ = false;
    if (fields.size() < 3)
      rows_.fail(line, fmt::format("has {} column{}, but particles need at least x, y and z",
                                   fields.size(), fields.size() == 1 ? "" : "s"));
    const int by_position = static_cast<int>(std::min<std::size_t>(fields.size(), weight));
    for (int q = 0; q < (by_position < 6 ? 3 : by_position); ++q)
      columns_[static_cast<std::size_t>(q)] = q;
    return false;
  }

  /// Returns a name that occurs twice, or an empty string.
  std::string_view name_columns(const Fields& names) {
    named_ = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name = plain_name(names[i]);
      for (std::size_t q = 0; q < quantities; ++q) {
        if (name != quantity_names[q]) continue;
        if (columns_[q] != absent) return quantity_names[q];
        columns_[q] = static_cast<int>(i);
      }
    }
    return {};
  }

  void set_row(const Particles<Kokkos::HostSpace>& into, Count row, const Fields& fields,
               Count line) const {
    const auto real = [&](int quantity) {
      const std::string_view field = fields[static_cast<std::size_t>(columns_[quantity])];
      if (const std::optional<Real> value = parse_number<Real>(field)) return *value;
      rows_.fail(line, bad_field(quantity, field, "a finite number in range"));
    };
    for (int a = 0; a < 3; ++a) into.position(row, a) = real(x + a);
    if (into.velocity.extent(0) > 0)
      for (int a = 0; a < 3; ++a) into.velocity(row, a) = real(vx + a);
    if (into.mass.extent(0) > 0) into.mass(row) = real(mass);
    if (into.weight.extent(0) > 0) into.weight(row) = real(weight);
    if (into.id.extent(0) > 0) {
      const std::string_view field = fields[static_cast<std::size_t>(columns_[id])];
      const std::optional<GlobalId> value = parse_id(field);
      if (!value) rows_.fail(line, bad_field(id, field, "a whole number from 0 to 2^64 - 1"));
      into.id(row) = *value;
    }
  }

  static std::string bad_field(int quantity, std::string_view field, std::string_view wanted) {
    return fmt::format("has {} = '{}', which is not {}", quantity_names[quantity],
                       shown_field(field), wanted);
  }

  TextRows rows_;
  SnapshotInfo info_;
  bool named_ = false;
  Columns columns_;
};

}  // namespace

bool probe_csv(ByteSource& source) {
  std::array<char, 4096> start;
  const auto text = std::span(start).first(std::min<Count>(start.size(), source.size()));
  source.read(0, std::as_writable_bytes(text));
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' ? byte != 0x7f : (c == '\t' || c == '\n' || c == '\r' || c == '\f');
  });
}

std::unique_ptr<SnapshotReader> open_csv(std::unique_ptr<ByteSource> source) {
  return std::make_unique<CsvReader>(std::move(source));
}

}  // namespace copse::io
