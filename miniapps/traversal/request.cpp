#include "request.hpp"

#include <copse/backend/error.hpp>
#include <copse/traversal/correlation.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace copse::traversal {
namespace {

std::size_t place_of(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError("there is no '" + name + "'");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::vector<std::string> walk_names() {
  return {copse::walk_names.begin(), copse::walk_names.end()};
}

std::vector<std::string> schedule_names() {
  return {"none", "sorted", "hybrid", "auto"};
}

WalkKind walk_named(const std::string& name) {
  return static_cast<WalkKind>(place_of(name, walk_names()));
}

ScheduleKind schedule_named(const std::string& name) {
  return static_cast<ScheduleKind>(place_of(name, schedule_names()));
}

std::vector<std::string> box_tree_names() {
  return {"auto", "kd", "hilbert", "morton"};
}

BoxTreeKind box_tree_named(const std::string& name) {
  return static_cast<BoxTreeKind>(place_of(name, box_tree_names()));
}

BoxTreeKind best_box_tree(const std::string& backend) {
  return backend == "cuda" ? BoxTreeKind::hilbert : BoxTreeKind::kd;
}

std::vector<Real> separation_edges(const CorrelationRequest& request, double reach) {
  const double most = request.most.value_or(reach);
  const double least = request.least.value_or(most / 100);
  if (!(least < most))
    throw InputError(fmt::format("--min-separation {} is not less than --max-separation {}{}",
                                 least, most,
                                 request.most ? "" : ", a twentieth of the box's shortest side"));
  auto edges = logarithmic_edges(least, most, request.bins);
  check_separation_edges(edges, most_separation_bins);
  return edges;
}

Count random_points(Count points, Count factor) {
  if (factor > max_particles_per_rank / std::max<Count>(points, 1))
    throw InputError(fmt::format(
        "--random-factor {} for {} points: more than the 2^32 a rank holds", factor, points));
  return factor * points;
}

}  // namespace copse::traversal
