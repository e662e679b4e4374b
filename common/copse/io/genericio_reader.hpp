#pragma once
/// \file
/// HACC GenericIO snapshots (layout: genericio_layout.hpp).
///
/// The reader takes the variables x, y, z (required), vx, vy, vz, id and mass and skips all others.
/// Rows are ordered by block. All particles are dark. The physical origin and scale of the header,
/// if the scale is positive, give the periodic box.
///
/// The rank whose slice contains the first row of a block verifies the checksums of that block, so
/// several ranks that read one file verify it once.
///
/// Units: those of the file, usually Mpc/h (comoving) and km/s.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

bool probe_genericio(ByteSource& source);

/// \throws InputError under the same conditions as genericio::read_layout, or if x, y or z is
///         missing or not a float or double.
std::unique_ptr<SnapshotReader> open_genericio(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
