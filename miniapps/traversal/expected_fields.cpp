#include "expected_fields.hpp"

#include <copse/gravity/direct_gravity.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::traversal {

void ExpectedFields::set_particles(const HostPoints<3>& points, const HostMasses& masses) {
  points_ = points;
  masses_ = masses;
}

std::vector<double> ExpectedFields::errors_of(const HostPoints<3>& acceleration) {
  if (exact_.empty()) {
    const Count n = points_.extent(0);
    for (const Count i : checked_queries(n, n, std::min(most_targets * n, Count{1} << 34)))
      chosen_.push_back(static_cast<LocalIndex>(i));
    exact_ = direct_gravity(points_, masses_, chosen_, request_.softening);
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
    constexpr double wrong = std::numeric_limits<double>::infinity();
    const double error = size > 0 ? std::sqrt(difference / size) : difference > 0 ? wrong : 0.0;
    errors.push_back(std::isfinite(error) ? error : wrong);
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

void ExpectedFields::verify(app::Verification& verification, const std::string& prefix,
                            const HostFields& fields) {
  const auto found = errors_of(fields.acceleration);
  // The final results are those of the last walk that was verified. A packet that walks as a group
  // errs as a leaf does.
  if (!prefix.starts_with("final"))
    decider_ = prefix.starts_with("group") ? Decider::leaf : Decider::particle;
  const double tolerance =
      field_rounding + 2.0 * measured_median_error({.theta = request_.theta}, order_, decider_,
                                                   model_, points_.extent(0));
  verification.check(prefix + "median_error", found[found.size() / 2], tolerance);
  // The median alone would not detect a missing packet or a wrong subtree.
  verification.check(prefix + "error_of_99_in_100", found[found.size() * 99 / 100],
                     p99_of_median * tolerance);
}

void ExpectedFields::report(app::Session& session, const HostFields& fields) {
  const auto found = errors_of(fields.acceleration);
  session.report().results()["median_relative_error"] = found[found.size() / 2];
  session.report().results()["largest_relative_error"] = found.back();
  session.print(fmt::format("relative errors of the acceleration: median {:.3g}, largest {:.3g}",
                            found[found.size() / 2], found.back()));
}

}  // namespace copse::traversal
