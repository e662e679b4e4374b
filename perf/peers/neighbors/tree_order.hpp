#pragma once
/// \file
/// The order of points along the leaves of a kd-tree: consecutive queries are close in space.

#include "neighbor_search.hpp"

namespace copse::peers {

/// Rows of the points leaf by leaf; leaves have at most `usual_leaf_points` and are cut at the
/// median of the longest side. O(n log n), on one thread; specific to no library.
std::vector<LocalIndex> tree_order(const std::vector<Point>& points);

}  // namespace copse::peers
