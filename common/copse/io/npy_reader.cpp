#include <copse/backend/error.hpp>
#include <copse/io/bytes/byte_order.hpp>
#include <copse/io/npy_reader.hpp>
#include <copse/io/tables/array_table.hpp>

#include <fmt/format.h>

namespace copse::io {

namespace {

class NpyReader final : public SnapshotReader {
 public:
  explicit NpyReader(std::unique_ptr<ByteSource> source)
      : table_(open_npy_table(std::move(source))) {
    if (table_.columns() != 3)
      throw InputError(fmt::format("{}: the .npy array has {} columns, but particles need 3",
                                   table_.name(), table_.columns()));
    info_.format = "npy";
    const ArrayLayout& layout = table_.layout();
    info_.detail =
        fmt::format("float{}, {}, {} order", 8 * bytes_of(layout.type),
                    byte_order_name(layout.order), layout.fortran_order ? "Fortran" : "C");
    info_.particles = table_.rows();
    info_.by_species[static_cast<std::size_t>(Species::other)] = table_.rows();
  }

  const SnapshotInfo& info() const override { return info_; }

  void read_rows(Count first, const Particles<Kokkos::HostSpace>& into,
                 const Progress& progress) override {
    table_.read_rows(first, into.size(), into.position.data(), into.position.stride(1), progress);
  }

 private:
  ArrayTable table_;
  SnapshotInfo info_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_npy(std::unique_ptr<ByteSource> source) {
  return std::make_unique<NpyReader>(std::move(source));
}

}  // namespace copse::io
