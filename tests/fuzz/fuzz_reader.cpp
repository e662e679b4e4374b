// Fuzz target of the snapshot format COPSE_FUZZ_FORMAT: opens the bytes and reads every row.
#include "fuzz_harness.hpp"
#include "repair.hpp"
#include <copse/io/snapshot_reader.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace {

using namespace copse;

const io::SnapshotFormat& format() {
  for (const io::SnapshotFormat& f : io::formats())
    if (f.name == COPSE_FUZZ_FORMAT) return f;
  std::abort();
}

void read(std::span<const std::byte> bytes) {
  auto source = std::make_unique<io::MemorySource>(fuzz::source_name, bytes);
  format().probe(*source);
  const auto reader = format().open(std::move(source));
  const io::SnapshotInfo& info = reader->info();
  fuzz::require(
      std::accumulate(info.by_species.begin(), info.by_species.end(), Count{0}) == info.particles,
      "the species do not add up to the particles");
  const Count half = info.particles / 2;
  for (const Count first : {Count{0}, half}) {
    const auto particles =
        allocate_particles<Kokkos::HostSpace>(info.particles - first, info.columns);
    reader->read_rows(first, particles, {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::copy_n(reinterpret_cast<const std::byte*>(data), size, bytes.begin());
  fuzz::repair(COPSE_FUZZ_FORMAT, bytes);
  fuzz::read_or_refuse([&] { read(bytes); });
  return 0;
}
