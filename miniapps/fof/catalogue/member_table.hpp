#pragma once
/// \file
/// The members of all groups, group by group, with coordinates relative to the first member of
/// each.
///
/// In a periodic box a group may cross a face. Every member is represented by its image nearest to
/// the first member, axis by axis, which makes the group contiguous. This requires that a group
/// extends less than half of the box from its first member; the centre of a group that wraps around
/// the box is undefined.
///
/// Differences of floats are exact in double unless their magnitudes differ strongly, so relative
/// coordinates do not depend on where in the box the group is.

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

  /// Converts a coordinate relative to the group's first member to a coordinate in the box.
  KOKKOS_FUNCTION double in_box(Count group, double place_on_axis, int axis) const {
    const double first = static_cast<double>(position(rows(offsets(group)), axis));
    const double x = first + place_on_axis;
    if (!box.periodic[axis]) return x;
    const double period = static_cast<double>(box.extent(axis));
    const double lower = static_cast<double>(box.lower[axis]);
    const double upper = static_cast<double>(box.upper[axis]);
    // The period is rounded, so wrapping can end just outside the box.
    if (x >= upper) return x - period > lower ? x - period : lower;
    if (x >= lower) return x;
    // A value just below the lower face rounds to the upper face, which is the lower face.
    return x + period < upper ? x + period : lower;
  }
};

/// Takes 32 bytes per member from the workspace: one table at a time. O(members log groups).
/// Synchronises only to read the size of the largest group.
template <class ExecutionSpace>
MemberTable<typename ExecutionSpace::memory_space> make_member_table(
    const ExecutionSpace& space, const Particles<typename ExecutionSpace::memory_space>& particles,
    const Groups<typename ExecutionSpace::memory_space>& groups,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
