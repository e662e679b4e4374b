#pragma once
/// \file
/// Sums over members in two passes: first masses, centres and bounds, then moments about the
/// centres. Also members and masses by species, and half-mass radii.
///
/// Sums are in double precision and in the order of segmented_reduction.hpp. Every accumulated
/// product is one fused multiply-add, so results have the same bits on every backend, whether or
/// not its compiler contracts expressions. Relative rounding errors are a few times 1e-16.

#include "group_properties.hpp"
#include "member_table.hpp"
#include "segmented_reduction.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Centres of mass relative to the first member of each group, [groups][3].
template <class MemorySpace>
using GroupCentres = Kokkos::View<double* [3], Kokkos::LayoutLeft, MemorySpace>;

/// What the passes over the members of all groups share.
template <class MemorySpace>
struct GroupPass {
  MemberTable<MemorySpace> table;
  ReductionTree<MemorySpace> tree;  ///< over the groups
  Workspace<MemorySpace>& workspace;
  GroupCentres<MemorySpace> centres;
  PropertyTable<MemorySpace> properties;  ///< the result
};

/// Fills id, members, mass, centre_of_mass, mean_velocity, lower and extent, and `centres`.
/// O(members).
/// \throws InputError if the mass of a group is not positive: its centre is undefined
template <class ExecutionSpace>
void find_centres(const ExecutionSpace& space,
                  const GroupPass<typename ExecutionSpace::memory_space>& pass);

/// Fills velocity_dispersion, r_max and second_moment; call after find_centres. O(members).
template <class ExecutionSpace>
void find_moments(const ExecutionSpace& space,
                  const GroupPass<typename ExecutionSpace::memory_space>& pass);

/// Fills members_by_species and mass_by_species. `species` has one entry per particle, or is empty:
/// then all are zero. O(members).
template <class ExecutionSpace>
void find_species_sums(const ExecutionSpace& space,
                       const GroupPass<typename ExecutionSpace::memory_space>& pass,
                       const Kokkos::View<Species*, Kokkos::LayoutLeft,
                                          typename ExecutionSpace::memory_space>& species);

/// Fills half_mass_radius, the smallest distance from the centre of mass within which the members
/// have at least half of the group's mass; call after find_centres.
///
/// All members are sorted at once, by group and then by distance rounded to float; equal distances
/// stay in input order. A descent through the tree of mass sums in this order finds the radius,
/// with at most 64 additions per level. If a partial sum is exactly half the mass, rounding decides
/// whether the next member is included. O(members log(groups)) by radix sort, 24 bytes per member
/// from the workspace. Synchronises.
template <class ExecutionSpace>
void find_half_mass_radii(const ExecutionSpace& space,
                          const GroupPass<typename ExecutionSpace::memory_space>& pass);

}  // namespace copse::fof
