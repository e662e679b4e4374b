#pragma once
/// \file
/// Number of members and mass of each species in each group.
///
/// Masses are summed in double, in the order of segmented_reduction.hpp, like the total mass.

#include "group_properties.hpp"
#include "member_table.hpp"
#include "segmented_reduction.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Fills members_by_species and mass_by_species. `species` has one entry per particle, or is empty:
/// then all are zero. O(members).
template <class ExecutionSpace>
void find_species_sums(const ExecutionSpace& space,
                       const MemberTable<typename ExecutionSpace::memory_space>& table,
                       const ReductionTree<typename ExecutionSpace::memory_space>& tree,
                       const Kokkos::View<Species*, Kokkos::LayoutLeft,
                                          typename ExecutionSpace::memory_space>& species,
                       Workspace<typename ExecutionSpace::memory_space>& workspace,
                       const PropertyTable<typename ExecutionSpace::memory_space>& properties);

}  // namespace copse::fof
