#pragma once
/// \file
/// Random points for the tests of grids.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <random>

namespace copse::test {

/// Points in [0, side_a), sides 1, 1.5, 2 and so on; every eighth has the coordinates of the point
/// before, and every fifth is on a side of the box.
template <int D, class T>
Kokkos::View<T* [D], Kokkos::LayoutLeft, Kokkos::HostSpace> grid_points(Count n,
                                                                        std::uint32_t seed) {
  Kokkos::View<T* [D], Kokkos::LayoutLeft, Kokkos::HostSpace> points("points", n);
  std::mt19937 random(seed);
  for (Count i = 0; i < n; ++i)
    for (int a = 0; a < D; ++a) {
      points(i, a) = static_cast<T>((1.0 + 0.5 * a) * (random() / 4294967296.0));
      if (i % 5 == 1 && a == 0) points(i, a) = static_cast<T>(random() % 2);
      if (i > 0 && i % 8 == 0) points(i, a) = points(i - 1, a);
    }
  return points;
}

template <int D, class T>
Kokkos::Array<T, D> grid_upper() {
  Kokkos::Array<T, D> upper;
  for (int a = 0; a < D; ++a) upper[a] = static_cast<T>(1.0 + 0.5 * a);
  return upper;
}

template <int D, class T, class View>
Kokkos::Array<T, D> point_of(const View& points, Count i) {
  Kokkos::Array<T, D> x;
  for (int a = 0; a < D; ++a) x[a] = points(i, a);
  return x;
}

}  // namespace copse::test
