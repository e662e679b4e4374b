#pragma once
/// \file
/// HACC GenericIO snapshots (layout: genericio_layout.hpp).
///
/// Read are the variables x, y, z (needed), vx, vy, vz, id and mass; others are stepped over. Rows
/// come block by block. All particles are dark. The physical origin and scale of the header, if it
/// has a positive one, make the box, periodic.
///
/// The checksum of an array is verified by the reader whose slice holds the first row of its block,
/// so that a file read by several ranks is verified once.
///
/// Units: those of the file, usually Mpc/h (comoving) and km/s.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

bool probe_genericio(ByteSource& source);

/// \throws InputError as genericio::read_layout, or if x, y or z is missing or not a float or
/// double.
std::unique_ptr<SnapshotReader> open_genericio(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
