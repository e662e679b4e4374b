#pragma once
/// \file
/// One method on one backend: measured, counted and compared with the direct sum.

#include "errors.hpp"
#include "methods.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::gravity {

/// The phases of a solution, in their order.
inline constexpr std::array<const char*, 3> phase_names{"tree", "moments", "walk"};

struct Solution {
  std::string method;
  std::uint32_t bucket_size = 0;
  std::vector<app::Samples> phases;  ///< seconds, as phase_names
  Interactions interactions;
  FieldErrors errors;                 ///< of `targets` bodies; if --targets is not 0
  std::array<double, 3> net_force{};  ///< sum of m a over all bodies, G applied
  double force_scale = 0.0;           ///< sum of m |a|

  double seconds() const;
};

/// Loads the particles, runs every requested method `--repeat` times and fills its Solution.
/// \throws InputError if there are no particles or masses, or a mass is negative
std::vector<Solution> solve_all(app::Session& session, const Request& request);

/// The largest median and 99th percentile of the relative error of accelerations that pass.
struct Tolerance {
  double median = 0.0;
  double p99 = 0.0;
};
Tolerance tolerance_of(const Request& request, const std::string& method);

void verify(app::Session& session, const Request& request, const std::vector<Solution>& solutions);
void report(app::Session& session, const Request& request, const std::vector<Solution>& solutions);

}  // namespace copse::gravity
