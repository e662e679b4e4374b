#pragma once
/// \file
/// The group of the nearest linked particle, over ranks, for unlinked particles (species/attach.hpp
/// defines the rule).
///
/// A particle is sent to every rank whose tight domain box is within reach of it, usually one. That
/// rank searches its own linked particles, not its ghosts, and returns the nearest: its squared
/// distance, its id and its group label. The smallest answer by distance, then id, is the one a
/// single rank would find, because ids ascend with the particle index and distances have the same
/// bits on every rank (friendship.hpp).

#include "../friendship.hpp"
#include "../linker.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/domains/counted_messages.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <vector>

namespace copse::fof {

/// In place of a group label: no linked particle is within reach.
inline constexpr GlobalId no_group = std::numeric_limits<GlobalId>::max();

/// The linked particles of one rank's domain, with ascending ids, and their group labels.
template <class MemorySpace>
struct LinkedDomain {
  Points<3, MemorySpace> position;
  GlobalLabels<MemorySpace> id;
  GlobalLabels<MemorySpace> label;
  std::vector<BoxBound<3>> bounds;  ///< [ranks], domain bounds of all ranks
};

/// For each of `others`, this rank's unlinked particles: the label of the group it joins, or
/// no_group. Collective. O(n log n) in the particles of the domain and the queries received; 12
/// bytes (Real = float) sent and 20 returned, per particle and rank within reach. On periodic axes
/// all positions must lie inside the box. Returns when `groups` is written.
/// \throws InputError if a rank would receive more queries than it may hold particles
template <class ExecutionSpace>
void find_nearest_groups(const ExecutionSpace& space,
                         const LinkedDomain<typename ExecutionSpace::memory_space>& domain,
                         const Points<3, typename ExecutionSpace::memory_space>& others,
                         const Friendship& friendship,
                         const GlobalLabels<typename ExecutionSpace::memory_space>& groups,
                         CountedMessages& messages,
                         Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
