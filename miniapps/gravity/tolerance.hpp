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

/// Twice the errors measured for this method, criterion, order and opening angle. `input` is the
/// generator, or anything else for a file.
Tolerance tolerance_of(const Request& request, const std::string& input, const std::string& method,
                       Count bodies);

/// Limit of `Solution::uncounted`. Measured in float: 5e-6 and less.
inline constexpr double uncounted_tolerance = 2e-5;

}  // namespace copse::gravity
