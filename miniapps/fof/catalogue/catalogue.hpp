#pragma once
/// \file
/// The catalogue: the properties of each group.
///
/// Columns and their definitions are in group_properties.hpp. They are computed in member_table.hpp
/// (coordinates in a periodic box), group_sums.hpp (masses, centres, moments, species,
/// half-mass radii), central_particle.hpp and principal_axes.hpp.
///
/// Everything but the axes is computed on the backend that holds the particles. Results are the
/// same bits on every backend and with any number of threads.

#include "central_particle.hpp"
#include "group_properties.hpp"
#include "groups.hpp"
#include <copse/particles/box.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

struct Catalogue {
  std::vector<GroupProperties> groups;  ///< level by level, by decreasing number of members
  std::vector<Count> level_begin{0};    ///< the first group of each level (levels/sub_groups.hpp)
  Box<3> box = unit_box<3>();
  bool has_levels() const { return level_begin.size() > 1; }
  bool has_velocity = false;  ///< if false, mean velocities and dispersions are 0 and undefined
  bool has_mass = false;      ///< if false, masses are numbers of members
  bool has_species = false;   ///< if false, members and masses by species are 0 and undefined
};

/// The catalogue of groups of these particles, which are in the order of the labels. Reads
/// positions, and velocities, masses and species if present.
///
/// O(members) passes, except for sorting by distance and for central particles
/// (central_particle.hpp). Takes about 68 bytes of scratch memory per member.
/// \throws InputError if the mass of a group is not positive
template <class ExecutionSpace>
Catalogue make_catalogue(const ExecutionSpace& space,
                         const Particles<typename ExecutionSpace::memory_space>& particles,
                         const Groups<typename ExecutionSpace::memory_space>& groups,
                         Count direct_members = default_direct_members);

}  // namespace copse::fof
