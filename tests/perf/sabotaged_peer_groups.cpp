/// \file
/// Linked with the program peer_groups, this corrupts the labels, the spanning tree or its length
/// of the finder that the environment variable COPSE_SABOTAGE_OF names, as COPSE_SABOTAGE says.
/// check_peer_groups.py and check_peer_tolerances.py name the check that must detect it.

#include "../../perf/peers/groups/tree_summary.hpp"
#include "sabotage_asked.hpp"
#include <copse/app/corruptible.hpp>

#include <algorithm>
#include <string>

namespace copse::peers {
namespace {

/// Connects a particle that has one edge with another particle than before. The edges remain a
/// tree.
void move_leaf(TreeEdges& edges) {
  std::vector<int> degree(edges.size() + 1, 0);
  for (const auto& edge : edges)
    for (const LocalIndex end : edge) ++degree[end];
  const auto at = std::find_if(edges.begin(), edges.end(), [&](const auto& edge) {
    return degree[edge[0]] == 1 || degree[edge[1]] == 1;
  });
  const auto [a, b] = *at;
  const LocalIndex leaf = degree[a] == 1 ? a : b;
  LocalIndex other = 0;
  while (other == a || other == b) ++other;
  *at = {leaf, other};
}

void corrupt_tree(TreeEdges& edges, const std::string& name) {
  const Asked asked(name);
  if (asked.to("lost-edge")) edges.pop_back();
  if (asked.to("doubled-edge")) edges.push_back(edges.front());
  if (asked.to("moved-edge")) move_leaf(edges);
}

void corrupt_summary(TreeSummary& summary, const std::string& name) {
  const Asked asked(name);
  if (asked.to("longer")) summary.length *= 1.0 + asked.amount();
}

void corrupt_labels(std::vector<LocalIndex>& labels, const std::string& name) {
  const Asked asked(name);
  if (asked.to("label")) labels.back() = labels.back() == 0 ? 1 : 0;
}

[[maybe_unused]] const bool armed =
    (app::corrupt<TreeEdges, std::string> = corrupt_tree) != nullptr &&
    (app::corrupt<TreeSummary, std::string> = corrupt_summary) != nullptr &&
    (app::corrupt<std::vector<LocalIndex>, std::string> = corrupt_labels) != nullptr;

}  // namespace
}  // namespace copse::peers
