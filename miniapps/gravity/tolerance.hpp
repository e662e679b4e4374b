#pragma once
/// \file
/// The largest errors that pass --verify.

#include "request.hpp"

#include <string>

namespace copse::gravity {

/// Limits of relative errors: median and 99th percentile of accelerations, median of potentials.
struct Tolerance {
  double median = 0.0;
  double p99 = 0.0;
  double potential = 0.0;
};

/// Twice the errors measured for this method, criterion, order and opening angle on octrees, more
/// on binary trees; percentiles of few bodies or targets may be larger. `input` is the generator,
/// or anything else for a file. Errors in a periodic box are relative to the field of the isolated
/// bodies.
/// \param targets  how many bodies are compared
Tolerance tolerance_of(const Request& request, const std::string& input, const std::string& method,
                       Count bodies, Count targets);

/// Limit of `Solution::uncounted`: rounding errors of sums in float. Measured: 9e-6 and less for
/// 30,000 bodies, 4.2e-5 for 5600 nodes per body that were added up one after the other. A group
/// whose bodies are far apart interacts with up to all bodies, 32 at a time: on binary trees where
/// the Morton curve jumps (measured: 2.2e-4 for 10^6 bodies), and with few active bodies.
inline double uncounted_tolerance(const Request& request, double cells_per_body,
                                  double bodies_per_body, Count bodies) {
  const double jumps = request.branching == Branching::binary ? 4e-10 : 0.0;
  return 2e-5 + 1.2e-8 * cells_per_body + 1e-9 * bodies_per_body +
         jumps * static_cast<double>(bodies);
}

}  // namespace copse::gravity
