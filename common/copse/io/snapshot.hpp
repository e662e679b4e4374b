#pragma once
/// \file
/// Reads a snapshot file into a particle table; each rank reads its slice.

#include <copse/io/snapshot_reader.hpp>
#include <copse/particles/particles.hpp>

#include <mpi.h>

#include <filesystem>
#include <optional>

namespace copse::io {

struct ReadOptions {
  MPI_Comm comm = MPI_COMM_SELF;  ///< rank r of P reads rows [r*N/P, (r+1)*N/P)
  ColumnSet columns;              ///< optional columns wanted; those the file lacks stay empty
  std::optional<Box<3>> box;      ///< overrides the box of the file
  Progress progress;              ///< may be empty
};

struct Snapshot {
  SnapshotInfo info;
  Particles<Kokkos::HostSpace> particles;  ///< this rank's rows; `box` is the domain
  Count first = 0;                         ///< global index of this rank's first row
};

/// Reads `path`. The box is the first of these that exists: `options.box`, the box of the file, the
/// bounding box of all particles over all ranks. A wanted column `id` that the file lacks is filled
/// with row numbers.
/// \throws InputError on every rank of `comm` if the file is damaged, or holds coordinates that are
///         not finite or outside the declared box; the message names the file and the record.
Snapshot read_snapshot(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace copse::io
