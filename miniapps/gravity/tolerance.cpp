#include "solution.hpp"

#include <cmath>

namespace copse::gravity {

/// Twice the largest errors measured.
Tolerance tolerance_of(const Request& request, const std::string& method) {
  constexpr double rounding = 1e-5;
  if (method == "direct") return {rounding, 10 * rounding};
  const double median =
      rounding + 0.004 * std::pow(request.theta, static_cast<double>(request.order) + 1.0);
  return {median, 30 * median};
}

}  // namespace copse::gravity
