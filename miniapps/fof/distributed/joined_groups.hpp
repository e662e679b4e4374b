#pragma once
/// \file
/// Labels and group sizes of all particles over ranks, after unlinked particles have joined groups.
///
/// A group's label is the index of its first linked particle among the linked particles of all
/// ranks. The rank that this particle came from is the group's *home*. Each rank sends the home its
/// number of members and the first of them, and receives the totals over all ranks: one record per
/// group, whatever its number of members.

#include "../linker.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// This rank's particles: `linked` and `others` are ascending indices that together cover all
/// particles.
struct JoiningParticles {
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> linked;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> others;
  /// Labels of the linked particles, numbered over the linked particles of all ranks, as from
  /// DistributedLinker.
  GlobalLabels<Kokkos::HostSpace> label;
  GlobalLabels<Kokkos::HostSpace> joined;  ///< for each other particle such a label, or no_group
};

/// Labels are the smallest indices over all ranks' particles, linked or not; members are group
/// sizes. A particle without a group is alone. Collective; 24 bytes each way for each group known
/// to a rank whose home is another rank. O(n log n), on the host.
CountedGroups<Kokkos::HostSpace> join_groups(const Communicator& comm,
                                             const JoiningParticles& particles);

}  // namespace copse::fof
