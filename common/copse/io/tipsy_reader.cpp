#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/tipsy_reader.hpp>

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace copse::io {

namespace {

constexpr Count short_header_bytes = 28;
constexpr Count long_header_bytes = 32;

/// Records are in this order; all begin with seven floats: mass, position, velocity.
struct Section {
  Species species;
  Count record_bytes;
  int softening_slot;  ///< of hsmooth or eps among the floats
};
constexpr std::array sections{Section{Species::gas, 48, 9}, Section{Species::dark, 36, 7},
                              Section{Species::star, 44, 9}};

struct Header {
  std::endian order;
  double time;
  std::int32_t n, ndim;
  std::array<std::int32_t, 3> counts;  ///< in the order of `sections`

  /// False if a count is negative or the counts do not add up.
  bool sums_up() const {
    std::int64_t sum = 0;
    for (const std::int32_t c : counts) {
      if (c < 0) return false;
      sum += c;
    }
    return sum == n;
  }

  bool consistent() const { return ndim >= 1 && ndim <= 3 && sums_up(); }

  /// Bytes of all records. At most 2^31 * 128, so it cannot overflow. Counts must not be negative.
  Count body_bytes() const {
    Count bytes = 0;
    for (std::size_t s = 0; s < sections.size(); ++s)
      bytes += static_cast<Count>(counts[s]) * sections[s].record_bytes;
    return bytes;
  }

  bool fits(Count file_bytes) const {
    for (const std::int32_t c : counts)
      if (c < 0) return false;
    return file_bytes == short_header_bytes + body_bytes() ||
           file_bytes == long_header_bytes + body_bytes();
  }
};

Header read_header(ByteSource& source, std::endian order) {
  std::array<std::byte, short_header_bytes> bytes;
  source.read(0, bytes);
  const auto integer = [&](int i) { return load<std::int32_t>(bytes.data() + 8 + 4 * i, order); };
  return {order,
          load<double>(bytes.data(), order),
          integer(0),
          integer(1),
          {integer(2), integer(3), integer(4)}};
}

constexpr std::array byte_orders{std::endian::big, std::endian::little};

/// The header in the byte order in which it is consistent, or else in which its counts match the
/// file size (a damaged `n` or `ndim` is then reported by name).
std::optional<Header> find_header(ByteSource& source) {
  if (source.size() < short_header_bytes) return std::nullopt;
  for (const std::endian order : byte_orders)
    if (const Header h = read_header(source, order); h.consistent()) return h;
  for (const std::endian order : byte_orders)
    if (const Header h = read_header(source, order); h.fits(source.size()) && h.body_bytes() > 0)
      return h;
  return std::nullopt;
}

class TipsyReader final : public SnapshotReader {
 public:
  TipsyReader(std::unique_ptr<ByteSource> source, const Header& header)
      : source_(std::move(source)), header_(header) {
    const std::string& file = source_->name();
    if (header.ndim < 1 || header.ndim > 3)
      throw InputError(fmt::format("{}: the Tipsy header says {} dimensions at byte 12, not 1 to 3",
                                   file, header.ndim));
    const auto [gas, dark, star] = header.counts;
    if (!header.sums_up())
      throw InputError(fmt::format(
          "{}: the Tipsy header says {} particles at byte 8, but {} gas, {} dark and {} star", file,
          header.n, gas, dark, star));
    if (!header.fits(source_->size()))
      throw InputError(
          fmt::format("{}: {} gas, {} dark and {} star particles make a Tipsy file of {} or {} "
                      "bytes, but it has {}",
                      file, gas, dark, star, short_header_bytes + header.body_bytes(),
                      long_header_bytes + header.body_bytes(), source_->size()));
    header_bytes_ = source_->size() - header.body_bytes();
    if (header_bytes_ == short_header_bytes && header.n > 0) require_first_mass();

    info_.format = "tipsy";
    info_.detail = fmt::format("{}, {}-byte header", byte_order_name(header.order), header_bytes_);
    info_.particles = static_cast<Count>(header.n);
    for (std::size_t s = 0; s < sections.size(); ++s)
      info_.by_species[static_cast<std::size_t>(sections[s].species)] =
          static_cast<Count>(header.counts[s]);
    info_.columns.velocity = info_.columns.mass = info_.columns.species = true;
    info_.columns.softening = true;
    info_.time = header.time;
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const Particles<Kokkos::HostSpace>& into,
                 const Progress& progress) override {
    const RowRange wanted{first, first + into.size()};
    Count section_begin = 0;
    Count offset = header_bytes_;
    RowProgress meter(progress, into.size(), 1);
    for (std::size_t s = 0; s < sections.size(); ++s) {
      const Count rows = static_cast<Count>(header_.counts[s]);
      const RowRange range = intersect(wanted, {section_begin, section_begin + rows});
      if (range.size() > 0) {
        const Count row0 = range.begin - first;
        for_each_record(
            *source_, offset + (range.begin - section_begin) * sections[s].record_bytes,
            sections[s].record_bytes, range.size(),
            [&](Count i, const std::byte* record) { set_row(into, row0 + i, record, sections[s]); },
            [&](Count records) { meter.add(records); });
      }
      section_begin += rows;
      offset += rows * sections[s].record_bytes;
    }
  }

 private:
  /// A file with a 32-byte header that lost its last four bytes has the size of one with a 28-byte
  /// header. The first mass distinguishes them: in the damaged file it is the pad, which is zero
  /// or, as a float, hardly ever a normal number.
  void require_first_mass() const {
    const auto mass = read_number<float>(*source_, short_header_bytes, header_.order);
    if (std::isnormal(mass) && mass > 0) return;
    throw InputError(fmt::format(
        "{}: the file ends at byte {}, 4 bytes early, or its first particle has mass {} at byte 28",
        source_->name(), source_->size(), mass));
  }

  void set_row(const Particles<Kokkos::HostSpace>& into, Count row, const std::byte* record,
               const Section& section) const {
    const auto value = [&](int i) {
      return static_cast<Real>(load<float>(record + 4 * i, header_.order));
    };
    for (int a = 0; a < 3; ++a) into.position(row, a) = value(1 + a);
    if (into.velocity.extent(0) > 0)
      for (int a = 0; a < 3; ++a) into.velocity(row, a) = value(4 + a);
    if (into.mass.extent(0) > 0) into.mass(row) = value(0);
    if (into.species.extent(0) > 0) into.species(row) = section.species;
    if (into.softening.extent(0) > 0) into.softening(row) = value(section.softening_slot);
  }

  std::unique_ptr<ByteSource> source_;
  Header header_;
  Count header_bytes_ = 0;
  SnapshotInfo info_;
};

}  // namespace

bool probe_tipsy(ByteSource& source) {
  return find_header(source).has_value();
}

std::unique_ptr<SnapshotReader> open_tipsy(std::unique_ptr<ByteSource> source) {
  const std::optional<Header> header = find_header(*source);
  if (!header)
    throw InputError(source->name() +
                     ": the first 28 bytes are not a Tipsy header in either byte order");
  return std::make_unique<TipsyReader>(std::move(source), *header);
}

}  // namespace copse::io
