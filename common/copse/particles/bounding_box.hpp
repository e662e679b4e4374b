#pragma once
/// \file
/// The tight bounding box of points, on any backend.

#include <copse/backend/backends.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {

/// Minima and maxima are exact, so the order of the reduction does not matter.
template <int Dim, class PointsView>
struct FindBounds {
  struct Bounds {
    Real lower[Dim];
    Real upper[Dim];
  };
  using value_type = Bounds;
  PointsView points;

  KOKKOS_FUNCTION void init(Bounds& bounds) const {
    for (int a = 0; a < Dim; ++a) {
      bounds.lower[a] = Kokkos::Experimental::infinity_v<Real>;
      bounds.upper[a] = -Kokkos::Experimental::infinity_v<Real>;
    }
  }
  KOKKOS_FUNCTION void join(Bounds& to, const Bounds& from) const {
    for (int a = 0; a < Dim; ++a) {
      if (from.lower[a] < to.lower[a]) to.lower[a] = from.lower[a];
      if (from.upper[a] > to.upper[a]) to.upper[a] = from.upper[a];
    }
  }
  KOKKOS_FUNCTION void operator()(Count i, Bounds& bounds) const {
    for (int a = 0; a < Dim; ++a) {
      const Real x = points(i, a);
      if (x < bounds.lower[a]) bounds.lower[a] = x;
      if (x > bounds.upper[a]) bounds.upper[a] = x;
    }
  }
};

}  // namespace detail

/// The bounding box of `points`, a View [n][Dim] of finite coordinates; not periodic. The unit box
/// if there are none. A face at zero is +0 for zeros of either sign, so the bits are the same on
/// every backend. O(n Dim); waits for the result.
template <class ExecutionSpace, class PointsView>
auto bounding_box(const ExecutionSpace& space, const PointsView& points) {
  constexpr int dim = static_cast<int>(PointsView::static_extent(1));
  using Find = detail::FindBounds<dim, PointsView>;
  const Count n = points.extent(0);
  if (n == 0) return unit_box<dim>();
  typename Find::Bounds bounds;
  Kokkos::parallel_reduce("copse::particles::bounding_box", CountRange<ExecutionSpace>(space, 0, n),
                          Find{points}, bounds);
  space.fence("copse::particles::bounding_box");
  Box<dim> box;
  for (int a = 0; a < dim; ++a) {
    box.lower[a] = bounds.lower[a] + Real{0};  // -0 + 0 is +0
    box.upper[a] = bounds.upper[a] + Real{0};
  }
  return box;
}

}  // namespace copse
