#pragma once
/// \file
/// What each group has of each species: particles and mass.
///
/// Masses are sums in double, in the order of segmented_reduction.hpp, as the whole mass is.

#include "group_properties.hpp"
#include "member_table.hpp"
#include "segmented_reduction.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Fills members_by_species and mass_by_species. `species` has a row for each particle, or none:
/// then all is zero. O(members).
template <class ExecutionSpace>
void find_species_sums(const ExecutionSpace& space,
                       const MemberTable<typename ExecutionSpace::memory_space>& table,
                       const ReductionTree<typename ExecutionSpace::memory_space>& tree,
                       const Kokkos::View<Species*, Kokkos::LayoutLeft,
                                          typename ExecutionSpace::memory_space>& species,
                       Workspace<typename ExecutionSpace::memory_space>& workspace,
                       const PropertyTable<typename ExecutionSpace::memory_space>& properties);

}  // namespace copse::fof
