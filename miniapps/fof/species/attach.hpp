#pragma once
/// \file
/// Attaches each particle that was not linked to the group of its nearest linked particle.
///
/// Dark matter is collisionless and traces the groups. Gas and stars are fewer, have other masses
/// and are clumped; linking them would bridge groups and shift the mean separation. So one species
/// is linked and the others are attached (docs/friends-of-friends.md, "Species", lists codes that
/// do the same).
///
/// Rule: a particle joins the group of the linked particle nearest in space, the one with the
/// smallest index among equally near ones, if the two are friends by position (Friendship without
/// velocities). Otherwise it stays alone. No particle is attached to an attached particle, so the
/// groups of the linked particles are the same with and without the others.

#include "../linker.hpp"

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class MemorySpace>
using RowList = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// For each particle of `others`, the index of the nearest linked particle, or nobody_near. On
/// periodic axes both must lie inside the box. O(n log n); builds a tree of each set. Waits for the
/// result.
template <class ExecutionSpace>
RowList<typename ExecutionSpace::memory_space> find_nearest_linked(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& linked,
    const Points<3, typename ExecutionSpace::memory_space>& others, const Friendship& friendship);

/// Labels of all particles: labels(i) is the smallest particle index in the group of particle i,
/// attached particles included. `linked` and `others` are ascending indices that together cover all
/// particles; `of_linked` holds the labels of the linked particles among themselves. O(n). Waits.
template <class ExecutionSpace>
Labels<typename ExecutionSpace::memory_space> attach_labels(
    const ExecutionSpace& space, const RowList<typename ExecutionSpace::memory_space>& linked,
    const RowList<typename ExecutionSpace::memory_space>& others,
    const Labels<typename ExecutionSpace::memory_space>& of_linked,
    const RowList<typename ExecutionSpace::memory_space>& nearest);

}  // namespace copse::fof
