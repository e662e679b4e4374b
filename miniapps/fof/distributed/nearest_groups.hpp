#pragma once
/// \file
/// The group of the nearest linked particle, over ranks, for particles that were not linked
/// (species/attach.hpp says what is near).
///
/// A particle is sent to every rank whose domain's tight box is within reach of it, most often one.
/// That rank searches its own linked particles, not at ghosts, and answers with the nearest: its
/// squared distance, its id and the label of its group. Of all answers the least by distance, then
/// by id, is what one rank would have found, since ids ascend with rows and distances are the same
/// bits wherever they are computed (friendship.hpp).

#include "../friendship.hpp"
#include "../linker.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/domains/counted_messages.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <vector>

namespace copse::fof {

/// Instead of the label of a group: no linked particle is near.
inline constexpr GlobalId no_group = std::numeric_limits<GlobalId>::max();

/// The linked particles of one rank's domain, whose ids ascend, and the labels of their groups.
template <class MemorySpace>
struct LinkedDomain {
  Points<3, MemorySpace> position;
  GlobalLabels<MemorySpace> id;
  GlobalLabels<MemorySpace> label;
  std::vector<BoxBound<3>> bounds;  ///< [ranks], of all ranks' domains
};

/// For each row of `others`, this rank's particles that were not linked, the label of the group it
/// joins, or no_group. Collective. O(n log n) for the particles of the domain and those asked
/// about; 12 bytes (Real = float) to ask and 20 to answer, for each particle and rank near it. With
/// periodic axes all positions are within the box. Returns when `groups` is written.
/// \throws InputError if a rank were asked about more particles than it may hold
template <class ExecutionSpace>
void find_nearest_groups(const ExecutionSpace& space,
                         const LinkedDomain<typename ExecutionSpace::memory_space>& domain,
                         const Points<3, typename ExecutionSpace::memory_space>& others,
                         const Friendship& friendship,
                         const GlobalLabels<typename ExecutionSpace::memory_space>& groups,
                         CountedMessages& messages,
                         Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
