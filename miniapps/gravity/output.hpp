#pragma once
/// \file
/// Fields as files of the field's own format.

#include <copse/traversal/visitors/barnes_hut.hpp>

#include <filesystem>

namespace copse::gravity {

/// Writes `stem`.acc and `stem`.pot, Tipsy ASCII arrays: the number of bodies, then all x, all y
/// and all z of the acceleration, or all potentials, one value a line with all its digits. Both
/// files appear complete or not at all. \throws InputError naming the file that cannot be written
void write_fields(const std::filesystem::path& stem,
                  const GravityFields<Kokkos::HostSpace>& fields);

}  // namespace copse::gravity
