#pragma once
/// \file
/// The body of the fuzz targets for one file in memory.

#include "fuzz_harness.hpp"
#include <copse/io/snapshot_reader.hpp>

#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>

namespace copse::fuzz {

inline const io::SnapshotFormat& format_named(std::string_view name) {
  for (const io::SnapshotFormat& f : io::formats())
    if (f.name == name) return f;
  std::abort();
}

/// Opens `bytes` as a snapshot of the format and reads every row, the later half twice.
/// \throws InputError if the reader rejects them.
inline void read_every_row(std::string_view format, std::span<const std::byte> bytes) {
  auto source = std::make_unique<io::MemorySource>(source_name, bytes);
  format_named(format).probe(*source);
  const auto reader = format_named(format).open(std::move(source));
  const io::SnapshotInfo& info = reader->info();
  require(
      std::accumulate(info.by_species.begin(), info.by_species.end(), Count{0}) == info.particles,
      "the species do not add up to the particles");
  const Count half = info.particles / 2;
  for (const Count first : {Count{0}, half}) {
    const auto particles =
        allocate_particles<Kokkos::HostSpace>(info.particles - first, info.columns);
    reader->read_rows(first, particles, {});
  }
}

}  // namespace copse::fuzz
