#pragma once
/// \file
/// Fields as files.
///
/// A name that ends in .h5 or .hdf5 is one HDF5 file. Row i of each dataset is body i of the input:
///
///     /position      [n][3]  in the length unit of the input
///     /mass          [n]
///     /softening     [n]     if every body has its own length
///     /acceleration  [n][3]  G applied
///     /potential     [n]     G applied, of unit mass
///     attributes of /        copse_version, particles, method, bucket_size, tree, order, theta,
///                            mac, periodic_side (0: isolated), softening, softening_kernel, G;
///                            alpha with --mac relative, inclusion if it is not none
///
/// Every dataset has the attributes `unit` and `meaning`. Any other name is the stem of two Tipsy
/// ASCII arrays, STEM.acc and STEM.pot: the number of bodies, then all x, all y and all z of the
/// acceleration, or all potentials, one value a line with all its digits.

#include "solution.hpp"

#include <filesystem>
#include <string>

namespace copse::gravity {

inline constexpr const char* restart_ending = ".restart.hdf5";

/// `stem` followed by `ending`.
std::filesystem::path with_ending(std::filesystem::path stem, const std::string& ending);

/// True if the name ends in .h5 or .hdf5.
bool names_hdf5(const std::filesystem::path& path);

/// Tries the files that a run with this --output writes, but for numbered snapshots. Leaves none
/// behind.
/// \throws InputError naming the file that cannot be written
void check_output(const std::filesystem::path& path, const Request& request);

/// Writes `solution.output`, which must exist. Every file appears complete or not at all.
/// \throws InputError naming the file that cannot be written
void write_fields(const std::filesystem::path& path, const Request& request,
                  const Solution& solution);

}  // namespace copse::gravity
