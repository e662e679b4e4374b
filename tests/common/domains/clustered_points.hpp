#pragma once
/// \file
/// Clustered points, on the host.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace copse::test {

using Row = std::array<Real, 3>;

/// Particles on the host.
struct Sample {
  std::vector<Row> x;
  std::vector<Row> v;  ///< empty in 3-D
  Box<3> box = unit_box<3>();
};

/// Half of the particles are clustered around others, the rest are uniform, in a box with sides of
/// 1, 1 and `height`; velocities have a spread of 1.
inline Sample clustered(std::size_t n, unsigned seed, bool periodic, bool velocities,
                        Real height = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  std::normal_distribution<double> near(0.0, 0.01), speed(0.0, 1.0);
  Sample sample;
  sample.box = unit_box<3>(periodic);
  sample.box.upper[2] = height;
  for (std::size_t i = 0; i < n; ++i) {
    Row x{};
    const std::size_t center = sample.x.empty() ? 0 : random() % sample.x.size() / 8;
    for (int a = 0; a < 3; ++a) {
      const double side = static_cast<double>(sample.box.upper[a]);
      double here = anywhere(random) * side;
      if (i > 8 && i % 2 == 0) here = static_cast<double>(sample.x[center][a]) + near(random);
      here = periodic ? here - std::floor(here / side) * side : here;
      x[a] = static_cast<Real>(std::clamp(here, 0.0, side));
    }
    sample.x.push_back(x);
    if (velocities)
      sample.v.push_back({static_cast<Real>(speed(random)), static_cast<Real>(speed(random)),
                          static_cast<Real>(speed(random))});
  }
  return sample;
}

inline Points<3, Kokkos::HostSpace> to_points(const std::vector<Row>& rows) {
  Points<3, Kokkos::HostSpace> points("copse::test::points", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int a = 0; a < 3; ++a) points(i, a) = rows[i][a];
  return points;
}

}  // namespace copse::test
