/// \file
/// Linked with the program peer_groups, this corrupts the spanning tree of the finder that the
/// environment variable COPSE_SABOTAGE_OF names, as COPSE_SABOTAGE says. check_peer_groups.py names
/// the check that must detect it.

#include "../../perf/peers/groups/tree_summary.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/backend/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace copse::peers {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

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
  const std::string wanted = variable("COPSE_SABOTAGE");
  if (wanted.empty() || name != variable("COPSE_SABOTAGE_OF")) return;
  if (wanted == "lost-edge") {
    edges.pop_back();
  } else if (wanted == "doubled-edge") {
    edges.push_back(edges.front());
  } else if (wanted == "moved-edge") {
    move_leaf(edges);
  } else {
    throw InputError("there is no COPSE_SABOTAGE '" + wanted + "'");
  }
}

const bool set = [] {
  app::corrupt<TreeEdges, std::string> = corrupt_tree;
  return true;
}();

}  // namespace
}  // namespace copse::peers
