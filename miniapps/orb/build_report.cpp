#include "build_report.hpp"

#include "fingerprint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace copse {
namespace {

/// Of the tree alone if the order is not repeatable or not known.
std::uint64_t checksum(const MeasuredBuild& run, const OrbVariant& variant) {
  return tree_fingerprint(run.tree,
                          variant.is_repeatable() ? order_fingerprint(0, run.permutation) : 0);
}

/// Field by field: a cell has padding.
bool same_cell(const OrbCell& a, const OrbCell& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (a.lower[axis] != b.lower[axis] || a.upper[axis] != b.upper[axis]) return false;
  return a.begin == b.begin && a.end == b.end && a.leaves == b.leaves && a.cut_axis == b.cut_axis &&
         a.cut == b.cut;
}

void report_leaves(app::Session& session, const MeasuredBuild& run, const OrbVariant& variant) {
  Count smallest = ~Count{0};
  Count largest = 0;
  for (std::size_t i = 1; i < run.tree.cells.extent(0); ++i) {
    const OrbCell& cell = run.tree.cells(i);
    if (cell.leaves != 1) continue;
    smallest = std::min(smallest, cell.end - cell.begin);
    largest = std::max(largest, cell.end - cell.begin);
  }
  const double mean =
      static_cast<double>(run.position.extent(0)) / static_cast<double>(run.tree.leaves);
  auto& results = session.report().results();
  results["leaves"] = run.tree.leaves;
  results["depth"] = orb_depth(run.tree.leaves);
  results["smallest_leaf"] = smallest;
  results["largest_leaf"] = largest;
  results["checksum"] = fmt::format("{:016x}", checksum(run, variant));
  if (run.weight.extent(0) > 0)
    results["weight_imbalance"] =
        weight_imbalance(run.tree, [&](Count row) { return run.weight(run.permutation(row)); });
  results["imbalance"] = mean > 0 ? static_cast<double>(largest) / mean : 1.0;
  session.print(fmt::format("{} leaves of {} to {} particles", run.tree.leaves, smallest, largest));
}

/// What the builds of a variant did, level by level.
void report_levels(app::Session& session, const MeasuredBuild& run, const OrbVariant& variant) {
  if (!variant.is_repeatable())
    session.print(
        "the order within leaves varies from run to run: it is neither checked nor "
        "compared nor part of the checksum");
  if (run.log.levels.empty()) return;
  auto& results = session.report().results();
  std::vector<int> iterations;
  std::vector<Count> launches;
  for (const LevelLog& level : run.log.levels) {
    iterations.push_back(level.iterations);
    launches.push_back(level.launches);
  }
  results["bytes_to_device"] = run.bytes_to_device;
  if (std::count(iterations.begin(), iterations.end(), 0) == std::ssize(iterations)) return;
  results["iterations_per_level"] = iterations;
  session.print(fmt::format("iterations per level: {}", fmt::join(iterations, " ")));
  if (std::count(launches.begin(), launches.end(), Count{0}) == std::ssize(launches)) return;
  results["launches_per_level"] = launches;
  session.print(fmt::format("count launches per level: {}", fmt::join(launches, " ")));
}

}  // namespace

void report_build(app::Session& session, const MeasuredBuild& run, const OrbVariant& variant) {
  report_leaves(session, run, variant);
  report_levels(session, run, variant);
}

bool same_build(const MeasuredBuild& a, const MeasuredBuild& b, const OrbVariant& variant) {
  if (a.tree.cells.extent(0) != b.tree.cells.extent(0)) return false;
  for (std::size_t i = 1; i < a.tree.cells.extent(0); ++i)
    if (!same_cell(a.tree.cells(i), b.tree.cells(i))) return false;
  if (!variant.is_repeatable()) return true;
  const auto same_bytes = [](const auto& x, const auto& y) {
    return x.span() == y.span() &&
           (x.span() == 0 || std::memcmp(x.data(), y.data(), x.span() * sizeof(*x.data())) == 0);
  };
  return same_bytes(a.permutation, b.permutation) && same_bytes(a.position, b.position);
}

}  // namespace copse
