#pragma once
/// \file
/// The results of a search for all queries, its times, and the comparison of two searches.

#include "neighbor_search.hpp"

#include <string>
#include <vector>

namespace copse::peers {

/// Medians over the timed runs. CPU time, summed over all threads, remains comparable on a machine
/// with other users.
struct Seconds {
  double wall = 0;
  double cpu = 0;
};

/// Answers of one library, for the queries in one order.
struct Answers {
  std::string library;
  std::string order;
  int threads = 1;
  bool ours = false;
  Seconds build;
  Seconds nearest;
  Seconds count;
  std::vector<LocalIndex> rows;
  std::vector<LocalIndex> counts;
};

/// How far the answers of two searches differ.
struct Disagreement {
  double nearest = 0;  ///< largest relative difference of squared distances of the j-th nearest
  Count counts = 0;    ///< queries with different counts
  double radius =
      0;  ///< largest NearSphere::radius_error of either count of the first 1000 of them
};

/// O(queries k log k), and O(n) for each of the queries with different counts.
Disagreement disagreement(const std::vector<Point>& points, const std::vector<Point>& queries,
                          int k, Real radius, const Answers& a, const Answers& b);

}  // namespace copse::peers
