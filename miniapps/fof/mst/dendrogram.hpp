#pragma once
/// \file
/// Friends-of-friends for every linking length at once: groups grow and merge along the edges of
/// the minimum spanning tree in ascending order (single-linkage clustering, Gower and Ross 1969).
///
/// A linking length b uses exactly the edges below its reach2 (see spanning_tree.hpp). In 6-D the
/// tree belongs to one ratio b / psi, which all other linking lengths share.

#include "tree_edge.hpp"

#include <span>
#include <vector>

namespace copse::fof {

/// Group counts for one linking length. A group has at least `min_members` particles.
struct GroupCounts {
  Count components = 0;  ///< number of components, single particles included
  Count groups = 0;
  Count largest = 0;  ///< particles in the largest component

  bool operator==(const GroupCounts&) const = default;
};

/// One step of the group counts: `after` holds for all reach2 above `distance2`, up to and
/// including the distance2 of the next event.
struct MergeEvent {
  Real distance2 = 0;
  GroupCounts after;
};

/// Edges must ascend, connect indices below `particles`, and form no cycle: the edges of a minimum
/// spanning tree, or of a forest below some reach. A forest says nothing about larger reaches.
struct Dendrogram {
  std::span<const TreeEdge> edges;
  Count particles = 0;
  Count min_members = 1;
};

/// All events: one per distinct distance2, in ascending order. Before the first event every
/// particle is alone. O(n alpha(n)).
std::vector<MergeEvent> merge_events(const Dendrogram& dendrogram);

}  // namespace copse::fof
