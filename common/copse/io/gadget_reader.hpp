#pragma once
/// \file
/// GADGET-1/2 binary snapshots of one or several files (layout: gadget_part.hpp).
///
/// A snapshot of k > 1 files is called NAME.0 to NAME.(k-1) and is found from the name of any of
/// them. Rows come file by file, and within a file by particle type. Particle type 0 is gas, 1
/// dark, 4 star; 2, 3 and 5 are `Species::other`. A box size above 0 makes the box [0, BoxSize]^3,
/// periodic.
///
/// Units: those of the file, usually kpc/h (comoving), 10^10 M_sun/h, and km/s divided by the
/// square root of the scale factor for velocities; nothing is converted.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

bool probe_gadget(ByteSource& source);

/// Columns: velocity, mass, id, species.
/// \throws InputError as scan_part, or if a file of the snapshot is missing or tells another story
///         than the first.
std::unique_ptr<SnapshotReader> open_gadget(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
