#pragma once
/// \file
/// Density peaks of large groups by shrinking spheres; see central_particle.hpp.

#include "group_sums.hpp"

namespace copse::fof {

inline constexpr double sphere_shrinks_to = 0.9;
inline constexpr Count sphere_least_members = 100;
/// The last sphere is 1 / 38,000 of the first; further steps only occur for coincident members.
inline constexpr int sphere_most_steps = 100;

/// For the members of the first `large` groups, scores(j) becomes the squared distance of member j
/// to the density peak of its group. In a group of fewer than `sphere_least_members` members the
/// peak is the centre of mass. Call after find_moments.
template <class ExecutionSpace>
void find_densest_spots(
    const ExecutionSpace& space, const MemberTable<typename ExecutionSpace::memory_space>& table,
    Count large, Workspace<typename ExecutionSpace::memory_space>& workspace,
    const GroupCentres<typename ExecutionSpace::memory_space>& centres,
    const PropertyTable<typename ExecutionSpace::memory_space>& properties,
    const Kokkos::View<double*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& scores);

}  // namespace copse::fof
