#include "tree_summary.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace copse::peers {
namespace {

double distance(const ClearProblem& problem, LocalIndex i, LocalIndex j) {
  double sum = 0;
  for (unsigned a = 0; a < 3; ++a) {
    const double apart = static_cast<double>(problem.position(i, a)) - problem.position(j, a);
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

}  // namespace

TreeSummary summary_of(const TreeEdges& edges, const ClearProblem& problem) {
  const Count n = problem.position.extent(0);
  std::vector<LocalIndex> parent(n);
  std::iota(parent.begin(), parent.end(), LocalIndex{0});
  const auto root = [&](LocalIndex i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  TreeSummary summary;
  summary.parts = n;
  for (const auto& [a, b] : edges) {
    if (a >= n || b >= n)
      throw std::runtime_error("an edge of a spanning tree ends at particle " +
                               std::to_string(std::max(a, b)) + " of " + std::to_string(n));
    summary.length += distance(problem, a, b);
    const LocalIndex from = root(a), to = root(b);
    if (from == to) {
      ++summary.cycles;
    } else {
      parent[std::max(from, to)] = std::min(from, to);
      --summary.parts;
    }
  }
  return summary;
}

}  // namespace copse::peers
