#include "leaf_sizes.hpp"

#include <copse/app/corruptible.hpp>
#include <copse/tree/orb_tree.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::peers {

namespace {

void append(std::vector<Count>& sizes, Count n, std::uint32_t leaves) {
  if (leaves == 1) {
    sizes.push_back(n);
    return;
  }
  const std::uint32_t left = left_leaves(leaves, LeafRule::complete);
  const Count going_left = left_particles(n, left, leaves, LeafRule::complete);
  append(sizes, going_left, left);
  append(sizes, n - going_left, leaves - left);
}

}  // namespace

std::vector<Count> rule_leaf_sizes(Count n, std::uint32_t leaves) {
  std::vector<Count> sizes;
  sizes.reserve(leaves);
  append(sizes, n, leaves);
  return sizes;
}

void report_leaf_sizes(app::Session& session, std::vector<Count> sizes, Count tolerance,
                       bool in_order) {
  app::corruptible(sizes);
  std::vector<Count> rule =
      rule_leaf_sizes(session.total_particles(), static_cast<std::uint32_t>(sizes.size()));
  if (!in_order) {
    std::sort(sizes.begin(), sizes.end());
    std::sort(rule.begin(), rule.end());
  }
  Count worst = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    worst = std::max(worst, sizes[i] > rule[i] ? sizes[i] - rule[i] : rule[i] - sizes[i]);
  if (session.options().verify)
    session.verification().check("leaf_sizes", static_cast<double>(worst),
                                 static_cast<double>(tolerance));
  const auto [smallest, largest] = std::minmax_element(sizes.begin(), sizes.end());
  auto& results = session.report().results();
  results["leaves"] = sizes.size();
  results["smallest_leaf"] = *smallest;
  results["largest_leaf"] = *largest;
  session.print(fmt::format("{} leaves of {} to {} particles", sizes.size(), *smallest, *largest));
}

}  // namespace copse::peers
