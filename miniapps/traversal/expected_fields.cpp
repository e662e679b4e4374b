#include "expected_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace copse::traversal {
namespace {

/// NaN counts as infinite.
double relative(double error, double size) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  const double ratio = size > 0 ? error / size : error > 0 ? wrong : error;
  return std::isfinite(ratio) ? ratio : wrong;
}

}  // namespace

void ExpectedFields::set_particles(const HostPoints<3>& points, ExactSum sum) {
  points_ = points;
  sum_ = std::move(sum);
}

std::vector<double> ExpectedFields::errors_of(const HostPoints<3>& acceleration) {
  if (exact_.empty()) {
    const Count n = points_.extent(0);
    for (const Count i : checked_queries(n, n, targets * n))
      chosen_.push_back(static_cast<LocalIndex>(i));
    exact_ = sum_(chosen_);
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const double exact[3] = {exact_[i].x, exact_[i].y, exact_[i].z};
    double difference = 0;
    double size = 0;
    for (int a = 0; a < 3; ++a) {
      difference += std::pow(static_cast<double>(acceleration(chosen_[i], a)) - exact[a], 2);
      size += exact[a] * exact[a];
    }
    errors.push_back(relative(std::sqrt(difference), std::sqrt(size)));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

void ExpectedFields::verify(app::Verification& verification, const std::string& prefix,
                            const HostFields& fields) {
  const auto found = errors_of(fields.acceleration);
  // The errors of a packet that walks as a group are those of a leaf.
  const Decider decider = walk_.together > 1 ? Decider::leaf : Decider::particle;
  const double tolerance =
      field_rounding + 2.0 * measured_median_error({.theta = request_.theta}, order_, decider,
                                                   model_, points_.extent(0));
  verification.check(prefix + "median_error", found[found.size() / 2], tolerance);
  // The median alone would not detect a missing packet or a wrong subtree.
  verification.check(prefix + "error_of_99_in_100", found[found.size() * 99 / 100],
                     p99_of_median * spread_of_few(points_.extent(0), found.size()) * tolerance);
  if (request_.softening == 0.0)
    verify_expansions(verification, prefix + "errors_of_expansions", fields);
}

void ExpectedFields::verify_expansions(app::Verification& verification, const std::string& name,
                                       const HostFields& fields) const {
  const Count n = points_.extent(0);
  std::vector<LocalIndex> rows;
  for (const Count i : checked_queries(n, 1, decided_queries(n)))
    rows.push_back(static_cast<LocalIndex>(i));
  const std::vector<DecidedField> expected = decided_fields(walk_, points_, order_, rows);
  double largest = 0, nodes = 0, bodies = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const GravityField<double>& exact = expected[i].field;
    const auto off = [&](Real found, double value) { return static_cast<double>(found) - value; };
    const double size = std::hypot(exact.x, exact.y, exact.z);
    const double apart = std::hypot(off(fields.acceleration(rows[i], 0), exact.x),
                                    off(fields.acceleration(rows[i], 1), exact.y),
                                    off(fields.acceleration(rows[i], 2), exact.z));
    const double deeper = std::abs(off(fields.potential(rows[i]), exact.potential));
    largest =
        std::max({largest, relative(apart, size), relative(deeper, std::abs(exact.potential))});
    nodes += static_cast<double>(expected[i].nodes);
    bodies += static_cast<double>(expected[i].bodies);
  }
  const auto count = static_cast<double>(rows.size());
  verification.check(name, largest, expansion_tolerance(nodes / count, bodies / count));
}

void ExpectedFields::report(app::Session& session, const HostFields& fields) {
  const auto found = errors_of(fields.acceleration);
  session.report().results()["median_relative_error"] = found[found.size() / 2];
  session.report().results()["largest_relative_error"] = found.back();
  session.print(fmt::format("relative errors of the acceleration: median {:.3g}, largest {:.3g}",
                            found[found.size() / 2], found.back()));
}

}  // namespace copse::traversal
