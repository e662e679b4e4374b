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

/// Queries to which two searches gave different answers.
struct Disagreements {
  Count nearest = 0;  ///< the distances of the neighbours differ by more than rounding
  Count counts = 0;   ///< counts within the radius differ; a few may, by rounding at the sphere
};

/// O(queries k log k).
Disagreements disagreements(const std::vector<Point>& points, const std::vector<Point>& queries,
                            int k, const Answers& a, const Answers& b);

}  // namespace copse::peers
