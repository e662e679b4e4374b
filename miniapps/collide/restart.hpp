#pragma once
/// \file
/// Restart files: a run that continues from one equals the run that was not interrupted, bit by
/// bit, whatever method and backend continue it, if contacts are summed in order.
///
/// HDF5: the datasets position [n][D], velocity [n][D] and, if sizes differ, size [n], rows by id;
/// side [D] and origin [D] of the region; `options` [bytes], a line "name value" for each option
/// that decides the motion; the attribute step. With the leapfrog, velocities are those of half a
/// step before.

#include "start.hpp"
#include <copse/io/hdf5/hdf5_file.hpp>

#include <filesystem>

namespace copse::collide {

/// Everything but position, velocity and size, of the state after `step` steps. Creates the
/// datasets of these, which have `particles` rows.
template <int D>
void write_restart_header(io::Hdf5Writer& file, const Request& request, Count step, Count particles,
                          const Start<D>& start);

/// Reads the rows that rank `rank` of `ranks` starts with. \throws InputError if the file is
/// damaged, holds no particles or impossible numbers, or was written with other options
template <int D>
Start<D> read_restart(const std::filesystem::path& path, const Request& request, int rank = 0,
                      int ranks = 1);

/// How many particles the file holds. \throws InputError if the file cannot be read
Count particles_of_restart(const Request& request);

}  // namespace copse::collide
