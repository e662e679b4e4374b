#pragma once
/// \file
/// The members of all groups, group by group, as seen from the first member of each.
///
/// In a periodic box a group may lie across a face. Its first member is taken as the origin, and
/// every other is where its image nearest to that is, axis by axis: the group is whole. That needs
/// a group to reach less than half of the box from its first member; what wraps around the box has
/// no centre.
///
/// Differences of floats are exact in double here unless they are of very different size, so places
/// do not depend on where in the box the group is.

#include "groups.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class MemorySpace>
struct MemberTable {
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets;     ///< [groups + 1]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;   ///< [members]
  Kokkos::View<double* [3], Kokkos::LayoutLeft, MemorySpace> place;  ///< [members][3]
  Kokkos::View<double*, Kokkos::LayoutLeft, MemorySpace> mass;       ///< [members]; 1 if unknown
  Points<3, MemorySpace> position;                                   ///< [particles][3]
  Points<3, MemorySpace> velocity;                                   ///< or empty
  Box<3> box;
  Count groups = 0;
  Count largest = 0;  ///< members of the largest group

  Count members() const { return rows.extent(0); }

  /// The coordinate in the box of a coordinate relative to the group's first member.
  KOKKOS_FUNCTION double in_box(Count group, double place_on_axis, int axis) const {
    const double first = static_cast<double>(position(rows(offsets(group)), axis));
    const double x = first + place_on_axis;
    if (!box.periodic[axis]) return x;
    const double period = static_cast<double>(box.extent(axis));
    const double lower = static_cast<double>(box.lower[axis]);
    const double upper = static_cast<double>(box.upper[axis]);
    // The period is rounded, so that going round it may end just outside.
    if (x >= upper) return x - period > lower ? x - period : lower;
    if (x >= lower) return x;
    // Just below the lower face rounds to the upper one, which is the lower one.
    return x + period < upper ? x + period : lower;
  }
};

/// 32 bytes a member, from the workspace: one table at a time. O(members log groups). No
/// synchronisation but for reading the size of the largest group.
template <class ExecutionSpace>
MemberTable<typename ExecutionSpace::memory_space> make_member_table(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    const Groups<typename ExecutionSpace::memory_space>& groups,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
