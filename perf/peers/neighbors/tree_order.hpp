#pragma once
/// \file
/// The order of points along the leaves of a kd-tree: queries that follow each other are
/// neighbours.

#include "neighbor_search.hpp"

namespace copse::peers {

/// Rows of the points leaf by leaf, leaves of at most `usual_leaf_points`, cut at the median of the
/// longest side. O(n log n), on one thread; made for no library in particular.
std::vector<LocalIndex> tree_order(const std::vector<Point>& points);

}  // namespace copse::peers
