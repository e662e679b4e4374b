#pragma once
/// \file
/// Uniform random points in the unit cube of 1 to 8 dimensions, for trees without physics.

#include <copse/backend/backends.hpp>
#include <copse/particles/philox.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

namespace copse {

/// Writes one point from the stream of its global index, one number per axis, drawn in pairs. A
/// number that rounds up to 1 in `Real` becomes the largest `Real` below.
template <int Dim, class MemorySpace>
struct WriteUniformPoints {
  Points<Dim, MemorySpace> points;
  std::uint64_t seed;
  Count first;
  Real largest;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    RandomStream random(seed, RandomPurpose::point, first + row);
    for (int axis = 0; axis < Dim; axis += 2) {
      const auto u = random.next_pair();
      for (int a = axis; a < axis + 2 && a < Dim; ++a) {
        const Real x = static_cast<Real>(u[a - axis]);
        points(row, a) = x < largest ? x : largest;
      }
    }
  }
};

/// Points [first, first + count) of the infinite sequence of a seed, every coordinate in [0, 1):
/// the same bits on every backend and for every split. The arithmetic is one conversion, one
/// addition and one exact scaling per coordinate, so it needs no compiler flag. O(count * Dim).
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> uniform_points(const ExecutionSpace& space,
                                                                  std::uint64_t seed, Count first,
                                                                  Count count) {
  static_assert(Dim >= 1 && Dim <= 8, "points have 1 to 8 dimensions");
  using MemorySpace = typename ExecutionSpace::memory_space;
  Points<Dim, MemorySpace> points(
      Kokkos::view_alloc("copse::particles::points", Kokkos::WithoutInitializing), count);
  Kokkos::parallel_for(
      "copse::particles::uniform_points", CountRange<ExecutionSpace>(space, 0, count),
      WriteUniformPoints<Dim, MemorySpace>{points, seed, first, std::nextafter(Real{1}, Real{0})});
  space.fence("copse::particles::uniform_points");
  return points;
}

}  // namespace copse
