#pragma once
/// \file
/// Every pair of bucket and node that a stateless resume adds twice, by recursion on a host: the
/// oracle of the counted walks. It shares the walks' distance, so it decides as they do, and
/// nothing else.

#include "../dual_walk.hpp"

#include <cstdint>
#include <vector>

namespace copse::gravity {

/// A bucket adds a node, or the bodies of a leaf, although it has accepted a node above it.
struct Repeat {
  Node bucket = 0;
  Node source = 0;
  bool as_bodies = false;
};

/// [nodes] 1 for the roots of cache subtrees: the inner nodes at depths divisible by `levels`, with
/// the tree's root.
std::vector<std::uint8_t> cache_roots(const HostTree& tree, Count levels);

/// All leaves, in the order of the nodes.
std::vector<Node> leaves_of(const HostTree& tree);

/// The repeats of the buckets that walk together: a subtree arrives if one of them wants it. Roots
/// must be inner nodes, or the tree's root. Node 0 must be a root. The tree has no spline
/// softening. O(roots * buckets + length of all lists); ordered by the root of the subtree, then by
/// bucket.
std::vector<Repeat> list_repeats(const HostTree& tree, const std::vector<std::uint8_t>& roots,
                                 const std::vector<Node>& buckets);

}  // namespace copse::gravity
