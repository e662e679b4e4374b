#pragma once
/// \file
/// The largest errors that pass --verify.

#include "request.hpp"

#include <string>

namespace copse::gravity {

/// Limits of relative errors: median and 99th percentile of accelerations, median of potentials, and
/// the largest of accelerations.
struct Tolerance {
  double median = 0.0;
  double p99 = 0.0;
  double potential = 0.0;
  double largest = 0.0;
};

/// Twice the errors measured for this method, criterion, order and opening angle; the largest may
/// be 30 times the 99th percentile, which a skipped leaf exceeds at the bodies beside it.
Tolerance tolerance_of(const Request& request, const std::string& method);

}  // namespace copse::gravity
