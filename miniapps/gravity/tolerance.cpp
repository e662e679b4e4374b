#include "tolerance.hpp"

#include <copse/gravity/measured_errors.hpp>

#include <algorithm>

namespace copse::gravity {
namespace {

/// How much larger errors on a binary tree may be: its nodes are up to twice as long as wide, and
/// those of one level are long in the same direction, so that their quadrupoles add up. Measured
/// with 30,000 bodies, buckets of 16, angles 0.2, 0.6 and 1, all generators and criteria: medians
/// up to 6.6 times those of octrees for monopoles, 2.1 times for higher orders; the tolerances are
/// 8 and 3 times those.
double binary_factor(Count order) {
  return order == 1 ? 4.0 : 1.5;
}

}  // namespace

Tolerance tolerance_of(const Request& request, const std::string& input, const std::string& method,
                       Count bodies, Count targets) {
  double error = 0.0;
  if (method != "direct") {
    // With few active bodies in it, a leaf or group decides like a single body.
    const bool alone = method == "particle" || request.active_fraction < 1.0;
    // Over ranks groups lie within coarse leaves, which may be as small as buckets.
    const bool wide = method == "breadth" && request.remote != "let";
    const Decider decider = alone             ? Decider::particle
                            : method == "fmm" ? Decider::nodes
                            : wide            ? Decider::group
                                              : Decider::leaf;
    error =
        measured_median_error(request.criterion, request.order, decider, body_model(input), bodies);
  }
  if (request.branching == Branching::binary) error *= binary_factor(request.order);
  double median = field_rounding + 2.0 * error;
  // Images add errors (measured: up to 7.1 medians of isolated bodies, for 10^6 uniform ones),
  // and the moments of the box end with the hexadecapole (measured: 5.2e-5 of the field).
  if (request.periodic && method != "direct") median = field_rounding + 14.0 * error + 1e-4;
  const double spread = spread_of_few(bodies, targets);
  const double walk = p99_of_median * spread;
  const double p99 = method == "fmm" ? std::max(p99_of_nodes, walk) : walk;
  // A missing field has an error of 1. Measured: 0.41 and less with 1000 bodies, 0.82 with 500, 2.4
  // with 100, 2.8 for 100 targets of 500. Median errors of potentials are below half of those of
  // accelerations.
  return {median, std::min(0.9 * spread, p99 * median), field_rounding + median / 2.0};
}

}  // namespace copse::gravity
