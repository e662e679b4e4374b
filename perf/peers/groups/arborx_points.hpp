#pragma once
/// \file
/// Particles as points of ArborX in the memory of a backend.

#include "clear_problem.hpp"

#include <ArborX_Point.hpp>

namespace copse::peers {

template <class MemorySpace>
using ArborxPoints = Kokkos::View<ArborX::Point<3, Real>*, MemorySpace>;

/// A copy of the positions. O(n)
template <class MemorySpace>
ArborxPoints<MemorySpace> arborx_points(const ClearProblem& problem) {
  const Count n = problem.position.extent(0);
  const ArborxPoints<MemorySpace> points("peer::points", n);
  const auto host = Kokkos::create_mirror_view(points);
  for (Count i = 0; i < n; ++i)
    for (unsigned a = 0; a < 3; ++a) host(i)[a] = problem.position(i, a);
  Kokkos::deep_copy(points, host);
  return points;
}

}  // namespace copse::peers
