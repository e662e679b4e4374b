#pragma once
/// \file
/// Which particles other ranks need to see: the layer one linking length thick around a domain.
///
/// A pair of friends that lie in two domains must meet on one of their ranks. One is enough, so of
/// two ranks only one gets the other's ghosts (`gets_ghosts`), which halves what is sent and linked
/// twice. The rank that gets them gets every particle of the other whose least distance to its
/// domain's tight box, computed as Friendship does, is within reach. That is a bound without any
/// tolerance (friendship.hpp): no pair is missed by rounding. Periodic images are the business of
/// the same formula; ghosts keep their coordinates, and a pair is tested bit by bit as on one rank.

#include "../friendship.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// Whether rank `rank` gets ghosts of rank `from`, or else the other way round. The parity lets
/// each rank do so with half of the others.
constexpr bool gets_ghosts(int rank, int from) {
  return rank != from && ((rank + from) % 2 == 0) == (rank < from);
}

/// The tight box of a domain's particles, lower > upper if there are none. Waits for the result.
template <class ExecutionSpace>
BoxBound<3> domain_bound(const ExecutionSpace& space,
                         const Points<3, typename ExecutionSpace::memory_space>& position);

/// A rank whose domain particles may be near to.
struct Neighbour {
  BoxBound<3> domain;
  int rank;
};

/// Rows whose least distance to a neighbour's domain is within reach, by rank, of which there are
/// `ranks`, and ascending; a row is there once for each such neighbour. Ranks of neighbours ascend.
///
/// Count, scan, place: O(n K) for K neighbours; 12 bytes a particle read twice, 8 bytes a neighbour
/// and 1024 particles of table; 4 bytes a row of the result, which is the workspace's. The result
/// is complete in the order of `space`. \throws InputError if there are more than a rank may hold
template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> select_near(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<Neighbour>& neighbours, int ranks, const Friendship& rule,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

/// Rows of this rank's particles that other ranks need, by rank and ascending; a row is there once
/// for each rank that needs it. `domains` are the bounds of all ranks' domains, of which those
/// count that are within reach of this one's. Costs and throws as select_near.
template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> select_ghosts(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<BoxBound<3>>& domains, int rank, const Friendship& rule,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
