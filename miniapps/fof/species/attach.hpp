#pragma once
/// \file
/// Gives particles that were not linked to the group of the nearest one that was.
///
/// Dark matter is collisionless and follows what groups are; gas and stars are few, of other masses
/// and clumped, and as links they would bridge groups and shift the mean separation. So one kind is
/// linked and the others are attached (docs/friends-of-friends.md, "Species", says which codes do
/// so).
///
/// The rule: a particle joins the group of the linked particle nearest to it in space, of equally
/// near ones that with the smallest row, if that is a friend by position (Friendship without
/// velocities); else it stays alone. Attached particles attach nobody, so the linked ones have the
/// groups that they have without them.

#include "../linker.hpp"

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class MemorySpace>
using RowList = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// For each row of `others`, the row of the nearest linked particle, or nobody_near. Both are on
/// periodic axes within the box. O(n log n); takes a tree of either. Waits for the result.
template <class ExecutionSpace>
RowList<typename ExecutionSpace::memory_space> find_nearest_linked(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& linked,
    const Points<3, typename ExecutionSpace::memory_space>& others, const Friendship& friendship);

/// Labels of all particles: labels(i) is the smallest row of the group of particle i, attached
/// particles included. `linked` and `others` are rows of all particles, each ascending and between
/// them all; `of_linked` are the labels of the linked ones among themselves. O(n). Waits.
template <class ExecutionSpace>
Labels<typename ExecutionSpace::memory_space> attach_labels(
    const ExecutionSpace& space, const RowList<typename ExecutionSpace::memory_space>& linked,
    const RowList<typename ExecutionSpace::memory_space>& others,
    const Labels<typename ExecutionSpace::memory_space>& of_linked,
    const RowList<typename ExecutionSpace::memory_space>& nearest);

}  // namespace copse::fof
