#pragma once
/// \file
/// The independent check of neighbour searches: all distances for a few queries.

#include "neighbor_search.hpp"

namespace copse::peers {

/// In double, from exact coordinates.
double squared_distance(const Point& x, const Point& y);

/// Errors found in a sample of queries.
struct Findings {
  Count nearest = 0;  ///< queries whose neighbours are repeated, or farther than the true ones
  Count counts = 0;   ///< queries whose count is wrong for every radius within 1e-5
};

/// Checks at least 64 queries, or all, evenly spread, against all points, in double. `rows` and
/// `counts` are results of a NeighborSearch for k neighbours and the radius. O(n log n) each.
Findings compare_with_brute_force(const std::vector<Point>& points,
                                  const std::vector<Point>& queries, int k,
                                  const std::vector<LocalIndex>& rows, Real radius,
                                  const std::vector<LocalIndex>& counts);

}  // namespace copse::peers
