#pragma once
/// \file
/// Reads snapshots of GADGET-2/3/4, AREPO and SWIFT in HDF5.
///
/// Layout: a group /Header with the attributes NumPart_ThisFile, NumPart_Total,
/// NumPart_Total_HighWord (its upper 32 bits), MassTable, BoxSize (one number or three), Time and
/// NumFilesPerSnapshot. Each particle type t that occurs has a group /PartType<t> with the datasets
/// Coordinates [n][3], Velocities [n][3], ParticleIDs [n], if MassTable[t] is zero Masses (or Mass)
/// [n], and perhaps Softenings [n], a name of SWIFT. A snapshot of several files is named
/// NAME.0.hdf5, NAME.1.hdf5, ...; opening any of them opens all. Sources: the GADGET-2 and GADGET-4
/// user guides; the SWIFT user guide.
///
/// Units: those of the file, unconverted (h and scale factors are not removed). BoxSize L > 0 is
/// the periodic box [0, L]; 0 means no box.

#include <copse/io/snapshot_reader.hpp>

namespace copse::io {

/// PartType 0 is gas, 1 dark matter, 4 stars; disks, bulges, black holes and neutrinos are `other`.
constexpr Species species_of_gadget_type(int type) {
  return type == 0   ? Species::gas
         : type == 1 ? Species::dark
         : type == 4 ? Species::star
                     : Species::other;
}

/// True if the source is any HDF5 file, so that `open_gadget_hdf5` can report what is missing.
bool probe_gadget_hdf5(ByteSource& source);

/// Rows are in file order: all types of the first file, then all of the second, ... Columns:
/// species, and those of velocity, mass, id and softening that every particle has.
/// \throws InputError naming file and group or dataset if something is missing, damaged or
///         contradicts the header, or if the dataset is stored in other files (external, virtual).
std::unique_ptr<SnapshotReader> open_gadget_hdf5(std::unique_ptr<ByteSource> source);

}  // namespace copse::io
