#pragma once
/// \file
/// GADGET-1/2 binary snapshots of one or several files (layout: gadget_part.hpp).
///
/// A snapshot of k > 1 files is named NAME.0 to NAME.(k-1); the name of any of them finds all. Rows
/// are ordered by file, and within a file by particle type. Particle type 0 is gas, 1 dark, 4 star;
/// 2, 3 and 5 are `Species::other`. A box size above 0 gives the periodic box [0, BoxSize]^3.
///
/// Units: those of the file, usually kpc/h (comoving), 10^10 M_sun/h, and km/s divided by the
/// square root of the scale factor for velocities; nothing is converted.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

bool probe_gadget(ByteSource& source);

/// Columns: velocity, mass, id, species.
/// \throws InputError under the same conditions as scan_part, or if a file of the snapshot is
///         missing or contradicts the first.
std::unique_ptr<SnapshotReader> open_gadget(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
