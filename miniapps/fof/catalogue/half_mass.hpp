#pragma once
/// \file
/// Half-mass radii: how far from the centre of mass the nearest members lie that together have half
/// of a group's mass, or just more.
///
/// All members are sorted at once, by group and then by distance rounded to a float; equal ones
/// stay in input order. Then the tree of mass sums over this order is descended, at most 64
/// additions a level. Of masses that add up to exactly half, rounding decides whether the next
/// member counts.

#include "group_sums.hpp"

namespace copse::fof {

/// Fills half_mass_radius; after find_centres. O(members log(groups)) by radix sort, 24 bytes a
/// member from the workspace. Synchronises.
template <class ExecutionSpace>
void find_half_mass_radii(const ExecutionSpace& space,
                          const MemberTable<typename ExecutionSpace::memory_space>& table,
                          const ReductionTree<typename ExecutionSpace::memory_space>& tree,
                          Workspace<typename ExecutionSpace::memory_space>& workspace,
                          const GroupCentres<typename ExecutionSpace::memory_space>& centres,
                          const PropertyTable<typename ExecutionSpace::memory_space>& properties);

}  // namespace copse::fof
