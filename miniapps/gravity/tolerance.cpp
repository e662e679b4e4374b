#include "tolerance.hpp"

#include <copse/gravity/measured_errors.hpp>

#include <algorithm>

namespace copse::gravity {

Tolerance tolerance_of(const Request& request, const std::string& input, const std::string& method,
                       Count bodies) {
  double error = 0.0;
  if (method != "direct") {
    const Decider decider = method == "particle"  ? Decider::particle
                            : method == "fmm"     ? Decider::nodes
                            : method == "breadth" ? Decider::group
                                                  : Decider::leaf;
    error = measured_median_error(request.criterion, request.order, decider, input == "plummer",
                                  bodies);
  }
  double median = field_rounding + 2.0 * error;
  // The images of a periodic box double the errors (measured: 1.1 of the limit and less for
  // isolated bodies), and its moments end with the hexadecapole (measured: 5.2e-5 of the field).
  if (request.periodic && method != "direct") median = 2.0 * median + 1e-4;
  // Measured median errors of potentials are below half of those of accelerations.
  const double p99 = method == "fmm" ? p99_of_nodes : p99_of_median;
  return {median, std::min(0.9, p99 * median), field_rounding + median / 2.0};
}

}  // namespace copse::gravity
