#pragma once
/// \file
/// Friends-of-friends for every linking length at once: how groups grow and merge along the edges
/// of the minimum spanning tree in ascending order (single-linkage clustering, Gower and Ross
/// 1969).
///
/// For a linking length b exactly the edges below its reach2 count (see spanning_tree.hpp). In 6-D
/// the tree is that of one ratio b / psi, and other linking lengths keep the ratio.

#include "tree_edge.hpp"

#include <span>
#include <vector>

namespace copse::fof {

/// The groups for one linking length. A group has at least `min_members` particles.
struct GroupCounts {
  Count components = 0;  ///< single particles included
  Count groups = 0;
  Count largest = 0;  ///< particles of the largest component

  bool operator==(const GroupCounts&) const = default;
};

/// What linking lengths from here on have: `after` holds for all reach2 above `distance2` up to and
/// including the distance2 of the next event.
struct MergeEvent {
  Real distance2 = 0;
  GroupCounts after;
};

/// Edges must ascend, with rows below `particles`, and close no ring: those of a minimum spanning
/// tree, or of a forest below some reach, which then says nothing of larger ones.
struct Dendrogram {
  std::span<const TreeEdge> edges;
  Count particles = 0;
  Count min_members = 1;
};

/// The groups for each of some values of reach2, in any order. O(n alpha(n) + k log k).
std::vector<GroupCounts> group_counts(const Dendrogram& dendrogram, std::span<const Real> reach2);

/// All there is to know: one event for each different distance2, in ascending order. Before the
/// first, each particle is alone. O(n alpha(n)).
std::vector<MergeEvent> merge_events(const Dendrogram& dendrogram);

}  // namespace copse::fof
