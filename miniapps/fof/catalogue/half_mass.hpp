#pragma once
/// \file
/// Half-mass radii: the smallest distance from the centre of mass within which the members have at
/// least half of the group's mass.
///
/// All members are sorted at once, by group and then by distance rounded to float; equal distances
/// stay in input order. A descent through the tree of mass sums in this order finds the radius,
/// with at most 64 additions per level. If a partial sum is exactly half the mass, rounding decides
/// whether the next member is included.

#include "group_sums.hpp"

namespace copse::fof {

/// Fills half_mass_radius; call after find_centres. O(members log(groups)) by radix sort, 24 bytes
/// per member from the workspace. Synchronises.
template <class ExecutionSpace>
void find_half_mass_radii(const ExecutionSpace& space,
                          const GroupPass<typename ExecutionSpace::memory_space>& pass);

}  // namespace copse::fof
