#pragma once
/// \file
/// The properties of a cloud of particles, by plain loops over unwrapped coordinates in long
/// double.

#include "clouds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace copse::fof::test {

struct ReferenceProperties {
  long double mass = 0;
  long double centre[3] = {};
  long double velocity[3] = {};
  long double dispersion = 0, r_max = 0, half_mass_radius = 0;
  double lower[3], upper[3];
  long double moment[3][3] = {};
};

inline std::vector<long double> distances_from(const Cloud& cloud, const long double* centre) {
  std::vector<long double> distances;
  for (const Vector& x : cloud.position)
    distances.push_back(std::sqrt((x[0] - centre[0]) * (x[0] - centre[0]) +
                                  (x[1] - centre[1]) * (x[1] - centre[1]) +
                                  (x[2] - centre[2]) * (x[2] - centre[2])));
  return distances;
}

inline ReferenceProperties reference_properties(const Cloud& cloud) {
  ReferenceProperties p;
  for (const float m : cloud.mass) p.mass += m;
  for (std::size_t a = 0; a < 3; ++a) {
    p.lower[a] = p.upper[a] = cloud.position[0][a];
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      p.centre[a] += cloud.mass[i] * static_cast<long double>(cloud.position[i][a]) / p.mass;
      p.velocity[a] += cloud.mass[i] * static_cast<long double>(cloud.velocity[i][a]) / p.mass;
      p.lower[a] = std::min(p.lower[a], cloud.position[i][a]);
      p.upper[a] = std::max(p.upper[a], cloud.position[i][a]);
    }
  }
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      const long double v = cloud.velocity[i][a] - p.velocity[a];
      p.dispersion += cloud.mass[i] * v * v / (3 * p.mass);
      for (std::size_t b = 0; b < 3; ++b)
        p.moment[a][b] += cloud.mass[i] * (cloud.position[i][a] - p.centre[a]) *
                          (cloud.position[i][b] - p.centre[b]) / p.mass;
    }
  p.dispersion = std::sqrt(p.dispersion);
  const auto r = distances_from(cloud, p.centre);
  std::vector<std::size_t> order(cloud.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return r[i] < r[j]; });
  p.r_max = r[order.back()];
  long double inside = 0;
  for (const std::size_t i : order) {
    inside += cloud.mass[i];
    p.half_mass_radius = r[i];
    if (inside >= p.mass / 2) break;
  }
  return p;
}

/// The unsoftened potential at each member, without members at the same position.
inline std::vector<double> reference_potentials(const Cloud& cloud) {
  std::vector<double> potentials(cloud.size(), 0.0);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    for (std::size_t j = 0; j < cloud.size(); ++j) {
      double square = 0.0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double d = cloud.position[i][a] - cloud.position[j][a];
        square += d * d;
      }
      if (square > 0.0) potentials[i] -= static_cast<double>(cloud.mass[j]) / std::sqrt(square);
    }
  return potentials;
}

/// The member nearest to the last of the shrinking spheres.
inline std::size_t reference_densest(const Cloud& cloud) {
  const ReferenceProperties whole = reference_properties(cloud);
  long double centre[3] = {whole.centre[0], whole.centre[1], whole.centre[2]};
  long double radius = whole.r_max * (1 + 1e-9L);
  for (int step = 0; step < 100; ++step, radius *= 0.9L) {
    const auto r = distances_from(cloud, centre);
    std::size_t members = 0;
    long double mass = 0, sum[3] = {};
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      if (r[i] > radius) continue;
      ++members;
      mass += cloud.mass[i];
      for (std::size_t a = 0; a < 3; ++a)
        sum[a] += cloud.mass[i] * static_cast<long double>(cloud.position[i][a]);
    }
    if (members < 100) break;
    for (std::size_t a = 0; a < 3; ++a) centre[a] = sum[a] / mass;
  }
  const auto r = distances_from(cloud, centre);
  return static_cast<std::size_t>(std::min_element(r.begin(), r.end()) - r.begin());
}

}  // namespace copse::fof::test
