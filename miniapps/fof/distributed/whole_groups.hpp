#pragma once
/// \file
/// Moves every group above the size limit to one rank, so that all ranks share the work of the
/// catalogue.
///
/// Each rank then holds whole groups with the labels a single rank would give them. The single-rank
/// code for catalogues therefore computes each rank's part.

#include "../linker.hpp"
#include <copse/backend/mpi/communicator.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// The members of this rank's groups, in input order.
template <class MemorySpace>
struct WholeGroups {
  Particles<MemorySpace> particles;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> row;  ///< global indices, in rank order
  Labels<MemorySpace> labels;  ///< local: row(labels(i)) is the global label
};

/// The rank that receives a group. Labels are smallest particle indices, so large groups have small
/// labels; the hash spreads them evenly over ranks.
KOKKOS_INLINE_FUNCTION int group_owner(GlobalId label, int ranks) {
  return static_cast<int>(split_mix(label) % static_cast<std::uint64_t>(ranks));
}

/// Sends the particles of groups with at least `min_members` members to the owner of their group;
/// other particles are not sent. `labels` and `members` are those of DistributedLinker for this
/// rank's particles. Collective. Sends every column and 16 more bytes per particle. O(n log n) for
/// n received particles.
/// \throws InputError as exchange_particles
template <class ExecutionSpace>
WholeGroups<typename ExecutionSpace::memory_space> gather_whole_groups(
    const ExecutionSpace& space, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const GlobalLabels<typename ExecutionSpace::memory_space>& labels,
    const GroupSizes<typename ExecutionSpace::memory_space>& members, Count min_members);

}  // namespace copse::fof
