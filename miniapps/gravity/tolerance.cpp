#include "tolerance.hpp"

#include <copse/gravity/measured_errors.hpp>

#include <algorithm>

namespace copse::gravity {

Tolerance tolerance_of(const Request& request, const std::string& input, const std::string& method,
                       Count bodies) {
  double error = 0.0;
  if (method != "direct") {
    // The fewer bodies of a leaf or group are active, the more each decides alone.
    const bool alone = method == "particle" || request.active_fraction < 1.0;
    const Decider decider = alone                 ? Decider::particle
                            : method == "fmm"     ? Decider::nodes
                            : method == "breadth" ? Decider::group
                                                  : Decider::leaf;
    error = measured_median_error(request.criterion, request.order, decider, input == "plummer",
                                  bodies);
  }
  const double median = field_rounding + 2.0 * error;
  // Measured median errors of potentials are below half of those of accelerations.
  const double p99 = method == "fmm" ? p99_of_nodes : p99_of_median;
  return {median, std::min(0.9, p99 * median), field_rounding + median / 2.0};
}

}  // namespace copse::gravity
