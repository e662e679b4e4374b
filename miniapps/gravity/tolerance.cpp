#include "tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace copse::gravity {
namespace {

constexpr std::array<double, 5> thetas{0.2, 0.4, 0.6, 0.8, 1.0};

/// Measured median relative errors of accelerations: 30,000 bodies in float, 1000 targets, bucket
/// 16, two cores; the largest of the methods. [criterion][order - 1][theta]
using Medians = double[3][4][5];
struct Measured {
  Medians particle;  ///< every body decides
  Medians leaf;      ///< bucket and lists
  Medians group;     ///< breadth
};

constexpr Measured of_plummer{{{{8.6e-05, 5.2e-04, 1.4e-03, 3.0e-03, 5.1e-03},
                                {1.0e-05, 1.4e-04, 5.3e-04, 1.5e-03, 3.4e-03},
                                {2.7e-06, 4.7e-05, 2.3e-04, 7.2e-04, 2.1e-03},
                                {8.3e-07, 8.4e-06, 7.0e-05, 3.3e-04, 9.6e-04}},
                               {{1.1e-04, 6.7e-04, 1.9e-03, 4.1e-03, 7.9e-03},
                                {1.7e-05, 1.9e-04, 7.6e-04, 2.3e-03, 5.7e-03},
                                {4.0e-06, 6.6e-05, 3.8e-04, 1.4e-03, 3.9e-03},
                                {9.0e-07, 1.7e-05, 1.4e-04, 7.1e-04, 2.0e-03}},
                               {{2.9e-04, 1.6e-03, 4.2e-03, 8.5e-03, 1.5e-02},
                                {4.0e-05, 4.6e-04, 1.9e-03, 5.4e-03, 1.2e-02},
                                {1.1e-05, 1.9e-04, 1.1e-03, 3.6e-03, 9.5e-03},
                                {1.6e-06, 5.9e-05, 5.4e-04, 2.0e-03, 5.8e-03}}},
                              {{{6.2e-05, 3.8e-04, 9.5e-04, 2.0e-03, 3.3e-03},
                                {6.9e-06, 8.6e-05, 3.3e-04, 8.5e-04, 1.8e-03},
                                {1.9e-06, 3.2e-05, 1.4e-04, 4.1e-04, 1.0e-03},
                                {8.3e-07, 4.8e-06, 3.5e-05, 1.4e-04, 4.2e-04}},
                               {{8.0e-05, 4.4e-04, 1.2e-03, 2.4e-03, 4.6e-03},
                                {1.1e-05, 1.2e-04, 4.3e-04, 1.2e-03, 2.8e-03},
                                {2.6e-06, 3.8e-05, 1.8e-04, 5.6e-04, 1.6e-03},
                                {8.8e-07, 7.8e-06, 5.6e-05, 2.3e-04, 8.4e-04}},
                               {{1.9e-04, 8.9e-04, 2.3e-03, 5.1e-03, 9.2e-03},
                                {2.4e-05, 2.5e-04, 8.3e-04, 2.5e-03, 6.2e-03},
                                {6.2e-06, 8.8e-05, 4.2e-04, 1.5e-03, 4.1e-03},
                                {1.1e-06, 2.3e-05, 1.4e-04, 7.2e-04, 2.2e-03}}},
                              {{{3.9e-05, 2.2e-04, 5.5e-04, 1.2e-03, 1.9e-03},
                                {3.7e-06, 4.5e-05, 1.5e-04, 5.0e-04, 8.6e-04},
                                {1.2e-06, 1.7e-05, 6.6e-05, 2.4e-04, 4.1e-04},
                                {7.1e-07, 2.1e-06, 1.3e-05, 6.4e-05, 1.6e-04}},
                               {{5.0e-05, 2.7e-04, 7.1e-04, 1.3e-03, 2.3e-03},
                                {6.2e-06, 6.0e-05, 2.4e-04, 5.4e-04, 1.1e-03},
                                {1.4e-06, 2.1e-05, 9.0e-05, 2.7e-04, 5.5e-04},
                                {4.7e-07, 3.0e-06, 2.5e-05, 7.4e-05, 2.4e-04}},
                               {{1.1e-04, 5.1e-04, 1.1e-03, 2.1e-03, 4.5e-03},
                                {1.3e-05, 1.2e-04, 4.0e-04, 9.2e-04, 2.4e-03},
                                {3.2e-06, 4.2e-05, 1.9e-04, 4.8e-04, 1.3e-03},
                                {8.5e-07, 8.6e-06, 5.0e-05, 1.7e-04, 6.2e-04}}}};
/// The largest of nfw and uniform: in a uniform box the pulls cancel, so that relative errors of
/// their sum are larger.
constexpr Measured of_others{{{{1.0e-04, 9.0e-04, 2.9e-03, 6.9e-03, 1.2e-02},
                               {1.1e-05, 1.6e-04, 7.8e-04, 3.6e-03, 1.0e-02},
                               {2.5e-06, 6.6e-05, 4.9e-04, 2.9e-03, 9.0e-03},
                               {7.1e-07, 1.0e-05, 1.1e-04, 5.7e-04, 2.2e-03}},
                              {{1.9e-04, 1.4e-03, 4.2e-03, 1.0e-02, 2.0e-02},
                               {2.7e-05, 3.9e-04, 1.7e-03, 5.8e-03, 1.4e-02},
                               {5.1e-06, 1.3e-04, 8.9e-04, 4.2e-03, 1.2e-02},
                               {9.8e-07, 3.5e-05, 3.5e-04, 1.6e-03, 5.2e-03}},
                              {{5.2e-04, 3.7e-03, 1.1e-02, 2.3e-02, 4.0e-02},
                               {5.9e-05, 8.1e-04, 3.9e-03, 1.2e-02, 3.0e-02},
                               {1.4e-05, 3.5e-04, 2.3e-03, 9.2e-03, 2.8e-02},
                               {2.2e-06, 1.1e-04, 1.0e-03, 4.4e-03, 1.2e-02}}},
                             {{{7.5e-05, 5.4e-04, 1.6e-03, 4.0e-03, 7.9e-03},
                               {7.5e-06, 1.1e-04, 4.6e-04, 2.3e-03, 6.7e-03},
                               {1.9e-06, 4.7e-05, 2.8e-04, 2.0e-03, 6.3e-03},
                               {6.8e-07, 5.7e-06, 5.2e-05, 2.8e-04, 1.1e-03}},
                              {{1.3e-04, 7.8e-04, 2.3e-03, 5.4e-03, 1.1e-02},
                               {1.8e-05, 1.9e-04, 6.9e-04, 2.9e-03, 8.2e-03},
                               {3.2e-06, 6.3e-05, 3.3e-04, 2.1e-03, 7.1e-03},
                               {7.6e-07, 1.4e-05, 9.7e-05, 4.7e-04, 1.8e-03}},
                              {{2.8e-04, 1.8e-03, 5.4e-03, 1.2e-02, 2.2e-02},
                               {3.5e-05, 4.1e-04, 1.4e-03, 6.1e-03, 1.6e-02},
                               {6.7e-06, 1.6e-04, 9.5e-04, 5.0e-03, 1.4e-02},
                               {1.1e-06, 3.9e-05, 2.5e-04, 1.4e-03, 5.2e-03}}},
                             {{{5.2e-05, 3.5e-04, 8.3e-04, 2.3e-03, 5.6e-03},
                               {5.1e-06, 7.1e-05, 2.5e-04, 1.4e-03, 4.9e-03},
                               {1.3e-06, 3.6e-05, 1.6e-04, 1.1e-03, 4.7e-03},
                               {6.3e-07, 3.2e-06, 2.3e-05, 1.6e-04, 6.0e-04}},
                              {{9.2e-05, 4.8e-04, 1.3e-03, 2.4e-03, 6.3e-03},
                               {1.1e-05, 1.0e-04, 4.3e-04, 1.4e-03, 5.3e-03},
                               {2.0e-06, 4.3e-05, 2.2e-04, 1.2e-03, 4.9e-03},
                               {5.8e-07, 5.8e-06, 4.9e-05, 1.8e-04, 7.7e-04}},
                              {{1.6e-04, 9.0e-04, 1.9e-03, 4.1e-03, 9.7e-03},
                               {2.1e-05, 2.1e-04, 7.1e-04, 3.0e-03, 8.1e-03},
                               {4.2e-06, 7.6e-05, 4.3e-04, 2.7e-03, 7.1e-03},
                               {7.7e-07, 1.6e-05, 9.7e-05, 4.3e-04, 1.6e-03}}}};

/// Between the measured opening angles errors are a power of theta, beyond them too.
double interpolate(const double (&errors)[5], double theta) {
  if (theta == 0.0) return 0.0;
  std::size_t i = 0;
  while (i + 2 < thetas.size() && theta > thetas[i + 1]) ++i;
  const double slope = std::log(errors[i + 1] / errors[i]) / std::log(thetas[i + 1] / thetas[i]);
  return errors[i] * std::pow(theta / thetas[i], slope);
}

/// Rounding: float sums of a direct method are off by 3e-7 in the median.
constexpr double rounding = 5e-6;

}  // namespace

Tolerance tolerance_of(const Request& request, const std::string& input,
                       const std::string& method) {
  double error = 0.0;
  const bool plummer = input == "plummer";
  if (method != "direct") {
    const Measured& measured = plummer ? of_plummer : of_others;
    const Medians& medians = method == "particle"  ? measured.particle
                             : method == "breadth" ? measured.group
                                                   : measured.leaf;
    error =
        interpolate(medians[static_cast<std::size_t>(request.criterion.kind)][request.order - 1],
                    request.theta);
  }
  const double median = rounding + 2.0 * error;
  // Measured 99th percentiles are below 31 medians; median errors of potentials are below a third
  // of those of accelerations.
  return {median, std::min(0.9, 32.0 * median), rounding + median / 2.0};
}

}  // namespace copse::gravity
