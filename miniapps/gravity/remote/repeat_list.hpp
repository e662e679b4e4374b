#pragma once
/// \file
/// Every pair of bucket and node that a stateless resume adds twice, by recursion on a host: the
/// oracle of the counted walks. It shares only the distance with the walks, so that its decisions
/// are theirs.

#include "../dual_walk.hpp"
#include "bucket_tally.hpp"

#include <cstdint>
#include <vector>

namespace copse::gravity {

/// A bucket adds a node, or the bodies of a leaf, although it has accepted a node above it.
struct Repeat {
  std::size_t bucket = 0;  ///< its place in the list
  Node source = 0;
  bool as_bodies = false;
};

/// [nodes] 1 for the roots of cache subtrees: the inner nodes at depths divisible by `levels`, with
/// the tree's root.
std::vector<std::uint8_t> cache_roots(const HostTree& tree, Count levels);

/// All leaves, in the order of the nodes.
std::vector<Node> leaves_of(const HostTree& tree);

/// The boxes of nodes.
std::vector<NodeBounds> boxes_of(const HostTree& tree, const std::vector<Node>& nodes);

/// The repeats of the buckets that walk together, given their boxes: a subtree arrives if one of
/// them opens its root. Node 0 must be a root; a leaf that is a root brings its bodies. Parents
/// come before their children. The tree has no spline softening, and needs no bounds. O(roots *
/// buckets + length of all lists); ordered by the root of the subtree, then by bucket.
std::vector<Repeat> list_repeats(const HostTree& tree, const std::vector<std::uint8_t>& roots,
                                 const std::vector<NodeBounds>& buckets);

/// [buckets] what the repeats add to each bucket.
std::vector<Tally> tally_repeats(const HostTree& tree, const std::vector<Repeat>& repeats,
                                 std::size_t buckets);

/// The number of buckets whose stateless tally is not that of one walk plus that of the recursion.
/// All arguments have one tally per bucket.
Count count_unlike(const std::vector<Tally>& once, const std::vector<Tally>& stateless,
                   const std::vector<Tally>& listed);

/// A copy of a column, for a HostTree.
template <class View>
auto host_column(const View& view) {
  using Element = typename View::non_const_value_type;
  const Kokkos::View<Element*, Kokkos::HostSpace> copy("copse::gravity::host_column",
                                                       view.extent(0));
  Kokkos::deep_copy(copy, view);
  return copy;
}

}  // namespace copse::gravity
