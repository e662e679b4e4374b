#pragma once
/// \file
/// Easy and hard point sets for trees, and the brute-force reference of walks.

#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

template <int Dim>
using HostPoints = Points<Dim, Kokkos::HostSpace>;

inline std::vector<std::string> point_kinds() {
  return {"uniform", "quantised", "coincident", "collinear", "clumps", "huge and tiny"};
}

template <int Dim>
HostPoints<Dim> make_points(const std::string& kind, Count n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<Real> uniform(0, 1);
  HostPoints<Dim> points("copse::test::points", n);
  for (Count i = 0; i < n; ++i) {
    const Real along = uniform(random);
    for (int a = 0; a < Dim; ++a) {
      const Real u = uniform(random);
      Real& x = points(i, a);
      x = u;
      if (kind == "quantised") x = std::floor(u * 8) / 8;
      if (kind == "coincident") x = Real(0.25);
      if (kind == "collinear") x = along * Real(a + 1);
      if (kind == "clumps") x = std::floor(along * 5) + u * Real(1e-3);
      if (kind == "huge and tiny") x = (i % 2 == 0 ? Real(1e6) : Real(1e-6)) * (u - Real(0.5));
    }
  }
  return points;
}

/// The suite's definition of distance, implemented independently.
template <int Dim>
Real distance2(const HostPoints<Dim>& a, Count i, const HostPoints<Dim>& b, Count j) {
  const Real first = a(i, 0) - b(j, 0);
  Real sum = first * first;
  for (int axis = 1; axis < Dim; ++axis) {
    const Real d = a(i, axis) - b(j, axis);
    sum = std::fma(d, d, sum);
  }
  return sum;
}

template <class Space, int Dim>
Points<Dim, typename Space::memory_space> points_to_backend(const HostPoints<Dim>& points) {
  Points<Dim, typename Space::memory_space> copy("copse::test::points", points.extent(0));
  Kokkos::deep_copy(copy, points);
  return copy;
}

}  // namespace copse::test
