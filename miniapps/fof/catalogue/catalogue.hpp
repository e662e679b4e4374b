#pragma once
/// \file
/// The catalogue: what there is to say of each group of friends.
///
/// Columns and their definitions are in group_properties.hpp, and how they are found in
/// member_table.hpp (places in a periodic box), group_sums.hpp (masses, centres, moments),
/// species_sums.hpp, half_mass.hpp, central_particle.hpp and principal_axes.hpp.
///
/// Everything but the axes is computed where the particles are. Results are the same bits on every
/// backend and with any number of threads.

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
  bool has_velocity = false;  ///< else mean velocities and dispersions are 0 and mean nothing
  bool has_mass = false;      ///< else masses are numbers of members
  bool has_species = false;   ///< else members and masses by species are 0 and mean nothing
};

/// The catalogue of groups of these particles, whose rows are those of the labels. Of the columns
/// of the table, position counts, and velocity, mass and species if there are any.
///
/// O(members) passes but for sorting by distance and for central particles (central_particle.hpp).
/// Takes about 68 bytes a member of scratch memory.
/// \throws InputError if the mass of a group is not positive
template <class ExecutionSpace>
Catalogue make_catalogue(const ExecutionSpace& space,
                         const Particles<typename ExecutionSpace::memory_space>& particles,
                         const Groups<typename ExecutionSpace::memory_space>& groups,
                         const CentralOptions& options = {});

}  // namespace copse::fof
