#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/bytes/crc64.hpp>
#include <copse/io/bytes/record_stream.hpp>
#include <copse/io/genericio_layout.hpp>
#include <copse/io/genericio_reader.hpp>

#include <fmt/format.h>

namespace copse::io {

namespace {

using genericio::Layout;
using genericio::Variable;
using HostParticles = Particles<Kokkos::HostSpace>;

class GenericIoReader final : public SnapshotReader {
 public:
  explicit GenericIoReader(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), layout_(genericio::read_layout(*source_)) {
    position_ = find_vector({"x", "y", "z"});
    velocity_ = find_vector({"vx", "vy", "vz"});
    mass_ = find_real("mass");
    id_ = layout_.find("id");
    if (id_ >= 0 && (variable(id_).is_float || !has_number_width(variable(id_)))) id_ = -1;
    for (int a = 0; a < 3; ++a)
      if (position_[a] < 0)
        throw InputError(fmt::format("{}: GenericIO variable '{}' of floats or doubles is missing",
                                     source_->name(), "xyz"[a]));

    info_.format = "genericio";
    info_.detail = fmt::format("{}, {} blocks, {} variables", byte_order_name(layout_.order),
                               layout_.blocks.size(), layout_.variables.size());
    info_.particles = layout_.rows;
    info_.by_species[static_cast<std::size_t>(Species::dark)] = layout_.rows;
    info_.columns.velocity = velocity_[0] >= 0 && velocity_[1] >= 0 && velocity_[2] >= 0;
    info_.columns.mass = mass_ >= 0;
    info_.columns.id = id_ >= 0;
    info_.columns.species = true;
    if (layout_.edge[0] > 0.0 && layout_.edge[1] > 0.0 && layout_.edge[2] > 0.0) {
      info_.box = unit_box<3>(true);
      for (int a = 0; a < 3; ++a) {
        info_.box->lower[a] = static_cast<Real>(layout_.origin[a]);
        info_.box->upper[a] = static_cast<Real>(layout_.origin[a] + layout_.edge[a]);
      }
    }
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const HostParticles& into, const Progress& progress) override {
    const RowRange wanted{first, first + into.size()};
    const bool velocity = into.velocity.extent(0) > 0;
    const bool mass = into.mass.extent(0) > 0;
    const bool id = into.id.extent(0) > 0;
    RowProgress meter(progress, into.size(), Count{3} + (velocity ? 3 : 0) + mass + id);
    for (const genericio::Block& block : layout_.blocks) {
      const RowRange range = intersect(wanted, {block.first_row, block.first_row + block.rows});
      if (range.size() == 0) continue;
      for (int a = 0; a < 3; ++a) {
        read_reals(block, position_[a], range, first,
                   Kokkos::subview(into.position, Kokkos::ALL, a), meter);
        if (velocity)
          read_reals(block, velocity_[a], range, first,
                     Kokkos::subview(into.velocity, Kokkos::ALL, a), meter);
      }
      if (mass) read_reals(block, mass_, range, first, into.mass, meter);
      if (id) read_ids(block, range, first, into.id, meter);
    }
    for (Count i = 0; i < into.species.extent(0); ++i) into.species(i) = Species::dark;
  }

 private:
  const Variable& variable(int v) const { return layout_.variables[static_cast<std::size_t>(v)]; }

  static bool has_number_width(const Variable& v) { return v.width == 4 || v.width == 8; }

  /// Index of the float or double variable of that name, or -1.
  int find_real(std::string_view name) const {
    const int v = layout_.find(name);
    return v >= 0 && variable(v).is_float && has_number_width(variable(v)) ? v : -1;
  }

  std::array<int, 3> find_vector(const std::array<std::string_view, 3>& names) const {
    return {find_real(names[0]), find_real(names[1]), find_real(names[2])};
  }

  /// Calls `set(i, bytes)` for rows `range` of variable `v`, with i counted from row `first`. Reads
  /// the whole array and verifies its checksum if `range` starts at the start of the block.
  template <class F>
  void read_array(const genericio::Block& block, int v, RowRange range, Count first, const F& set,
                  RowProgress& meter) {
    const Count width = variable(v).width;
    const bool verify = range.begin == block.first_row;
    const Count rows = verify ? block.rows : range.size();
    const Count offset = layout_.array_offset(block, v);
    Crc64 crc;
    for_each_record(
        *source_, offset + (range.begin - block.first_row) * width, width, rows,
        [&](Count i, const std::byte* bytes) {
          if (verify) crc.add({bytes, width});
          if (i < range.size()) set(range.begin - first + i, bytes);
        },
        [&](Count n) { meter.add(n); });
    if (!verify) return;
    const Count at = offset + block.rows * width;
    if (!genericio::is_complement(read_number<std::uint64_t>(*source_, at, layout_.order),
                                  crc.value()))
      throw InputError(fmt::format("{}: the checksum of variable '{}' at byte {} is wrong",
                                   source_->name(), variable(v).name, at));
  }

  template <class Column>
  void read_reals(const genericio::Block& block, int v, RowRange range, Count first,
                  const Column& to, RowProgress& meter) {
    const std::endian order = layout_.order;
    if (variable(v).width == 4)
      read_array(
          block, v, range, first,
          [&](Count i, const std::byte* bytes) {
            to(i) = static_cast<Real>(load<float>(bytes, order));
          },
          meter);
    else
      read_array(
          block, v, range, first,
          [&](Count i, const std::byte* bytes) {
            to(i) = static_cast<Real>(load<double>(bytes, order));
          },
          meter);
  }

  void read_ids(const genericio::Block& block, RowRange range, Count first,
                const HostParticles::Column<GlobalId>& to, RowProgress& meter) {
    const std::endian order = layout_.order;
    const Count width = variable(id_).width;
    read_array(
        block, id_, range, first,
        [&](Count i, const std::byte* bytes) {
          to(i) =
              width == 4 ? load<std::uint32_t>(bytes, order) : load<std::uint64_t>(bytes, order);
        },
        meter);
  }

  std::unique_ptr<ByteSource> source_;
  Layout layout_;
  std::array<int, 3> position_{}, velocity_{};  ///< indices of variables, -1 for none
  int mass_ = -1;
  int id_ = -1;
  SnapshotInfo info_;
};

}  // namespace

bool probe_genericio(ByteSource& source) {
  return genericio::has_magic(source);
}

std::unique_ptr<SnapshotReader> open_genericio(std::unique_ptr<ByteSource> source) {
  return std::make_unique<GenericIoReader>(std::move(source));
}

}  // namespace copse::io
