#pragma once
/// \file
/// Whole generated data sets in host memory, and the sample statistics the model tests share.

#include <copse/particles/generators.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace copse_test {

inline constexpr copse::ColumnSet all_columns{true, true, true, true, true};

inline copse::GeneratorOptions options_of(const std::string& kind, copse::Count n,
                                          std::uint64_t seed = 42) {
  copse::GeneratorOptions options;
  options.kind = kind;
  options.particles = n;
  options.seed = seed;
  options.columns = all_columns;
  return options;
}

inline copse::Particles<Kokkos::HostSpace> generate_on_host(
    const copse::GeneratorOptions& options) {
  return copse::generate(Kokkos::DefaultHostExecutionSpace{}, options, 0, options.particles);
}

/// Largest distance between the empirical distribution of the sample and the cumulative
/// distribution `cdf`; at the 0.1 % level it stays below 1.95 / sqrt(n) (Kolmogorov-Smirnov).
template <class Cdf>
double kolmogorov_distance(std::vector<double> sample, Cdf&& cdf) {
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = cdf(sample[i]);
    const double below = static_cast<double>(i) / n;
    distance = std::max({distance, expected - below, below + 1.0 / n - expected});
  }
  return distance;
}

inline double kolmogorov_limit(std::size_t n) {
  return 1.95 / std::sqrt(static_cast<double>(n));
}

}  // namespace copse_test
