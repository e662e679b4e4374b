#pragma once
/// \file
/// What becomes of groups over ranks when particles that were not linked have joined them: labels
/// and members of all particles.
///
/// Linked particles come labelled by rows counted among themselves. Such a label is the row of a
/// linked particle, and the rank that particle came from is the group's *home*: each rank tells it
/// how many members it has and which is the first, and is told in turn what that makes over all
/// ranks. A rank sends one record a group, however many members it has.

#include "../linker.hpp"
#include <copse/backend/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// This rank's particles: `linked` and `others` are their rows, each ascending and between them
/// all.
struct JoiningParticles {
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> linked;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> others;
  /// Of the linked ones, in the order of all ranks' linked particles, as DistributedLinker says.
  GlobalLabels<Kokkos::HostSpace> label;
  GlobalLabels<Kokkos::HostSpace> joined;  ///< such a label for each of the others, or no_group
};

/// Labels that are smallest rows in the order of all ranks' particles, linked or not, and how many
/// members each group has. A particle without a group is alone. Collective; 24 bytes there and back
/// for each group that a rank knows and that has its home elsewhere. O(n log n), on the host.
CountedGroups<Kokkos::HostSpace> join_groups(const Communicator& comm,
                                             const JoiningParticles& particles);

}  // namespace copse::fof
