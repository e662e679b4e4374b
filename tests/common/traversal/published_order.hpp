#pragma once
/// \file
/// The published profiling of a guided walk ([Liu 2019] figure 3.4), as a recursion over bounds on
/// the host.

#include <copse/backend/lanes.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>
#include <copse/traversal/visitor.hpp>

#include <vector>

namespace copse::test {

/// Appends the top leaves below `node`, numbered from 1, in the order in which a query at `x`
/// visits them. Nothing is pruned, as no neighbour is found yet; the nearer child comes first.
template <class Bounds, class Point, class Leaf>
void published_order(const Bounds& bounds, const Point& x, Count first_leaf, Node node,
                     std::vector<Leaf>& steps) {
  if (node >= first_leaf) {
    steps.push_back(static_cast<Leaf>(node - first_leaf + 1));
    return;
  }
  const Node left = 2 * node;
  const bool closer_to_left =
      bounds(left).template nearness<OneLane>(x) <= bounds(left + 1).template nearness<OneLane>(x);
  published_order(bounds, x, first_leaf, closer_to_left ? left : left + 1, steps);
  published_order(bounds, x, first_leaf, closer_to_left ? left + 1 : left, steps);
}

}  // namespace copse::test
