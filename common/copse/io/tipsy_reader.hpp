#pragma once
/// \file
/// Tipsy snapshots, the binary format of GASOLINE, PKDGRAV and ChaNGa.
///
/// Layout: a header of one double (time) and five or six 32-bit integers (n, ndim, ngas, ndark,
/// nstar, and in most files a meaningless pad), then ngas gas records of 48 bytes, ndark dark
/// records of 36 and nstar star records of 44, all 32-bit floats that start with mass, position[3],
/// velocity[3]. "Standard" files are big-endian, "native" ones little-endian. The file states
/// neither its byte order nor whether the header has the pad, so:
///  - the byte order is the one in which 1 <= ndim <= 3 and n = ngas + ndark + nstar;
///  - the header has 32 or 28 bytes, whichever makes the records end at the end of the file. With
///    28 bytes the first particle must have a positive mass; otherwise the file counts as damaged.
///
/// Units: those of the simulation, usually G = 1 and a periodic cube of edge 1 centred on the
/// origin; the file declares neither its units nor a box. `time` is the time or the scale factor.
/// Source: the Tipsy manual of the University of Washington N-body shop (appendix on file formats).

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

/// True if the file starts with a consistent header, or one whose counts match the size of the file
/// exactly.
bool probe_tipsy(ByteSource& source);

/// Columns: velocity, mass, species, softening: eps of dark and star particles, hsmooth of gas.
/// \throws InputError if the header contradicts itself or the size of the file.
std::unique_ptr<SnapshotReader> open_tipsy(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
