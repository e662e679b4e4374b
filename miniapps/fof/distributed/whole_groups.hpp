#pragma once
/// \file
/// Brings every group that counts to one rank, for a catalogue made by all ranks.
///
/// Ranks then have whole groups with the labels that one rank would give them, so whatever makes a
/// catalogue of particles and labels on one rank makes each rank's part of it.

#include "../linker.hpp"
#include <copse/backend/communicator.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// The members of this rank's groups, in the order of the input.
template <class MemorySpace>
struct WholeGroups {
  Particles<MemorySpace> particles;
  Kokkos::View<GlobalId*, Kokkos::LayoutLeft, MemorySpace> row;  ///< in the order of all ranks
  Labels<MemorySpace> labels;  ///< as on one rank: row(labels(i)) is the label over all ranks
};

/// The rank that gets a group. Labels are smallest rows, so large groups have small ones: they are
/// scrambled first, for each rank to get its share.
KOKKOS_INLINE_FUNCTION int group_owner(GlobalId label, int ranks) {
  return static_cast<int>(split_mix(label) % static_cast<std::uint64_t>(ranks));
}

/// Sends the particles in groups of at least `min_members` to their group's owner; the others stay
/// behind. `labels` and `members` are of this rank's particles, as DistributedLinker gives them.
/// Collective. Every column travels, and 16 bytes more. O(n log n) for n particles that arrive.
/// \throws InputError as exchange_particles
template <class ExecutionSpace>
WholeGroups<typename ExecutionSpace::memory_space> gather_whole_groups(
    const ExecutionSpace& space, const Communicator& comm,
    const Particles<typename ExecutionSpace::memory_space>& particles,
    const GlobalLabels<typename ExecutionSpace::memory_space>& labels,
    const GroupSizes<typename ExecutionSpace::memory_space>& members, Count min_members);

}  // namespace copse::fof
