#pragma once
/// \file
/// Bounds of a node's points and their distance to a query: a box, a ball, or a shell around a
/// vantage point.
///
/// Bounds are conservative: `min_distance2` is at most, and `max_distance2` at least, the squared
/// distance *as computed* by `squared_distance` to every point in the bound. Boxes need no
/// tolerance, because differences, products and sums round monotonically. Balls and shells subtract
/// two rounded distances, so their bounds are loosened by a few units in the last place.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Coordinates of one query per lane.
template <class L, int Dim>
using LanePoint = Kokkos::Array<typename L::Real, Dim>;

/// Loads the particles with indices `row`, one per lane.
template <class L, int Dim, class MemorySpace>
KOKKOS_FORCEINLINE_FUNCTION LanePoint<L, Dim> lane_point(const Points<Dim, MemorySpace>& points,
                                                         typename L::Index row) {
  LanePoint<L, Dim> x;
  for (int a = 0; a < Dim; ++a) x[a] = gather(points.data() + points.stride(1) * a, row);
  return x;
}

/// One step of the squared distance: adds the square of the difference along one axis. The sum uses
/// one FMA per axis, in axis order. Every walk uses this one definition of distance, so all agree
/// to the last bit. 3 Dim - 1 flops per distance.
template <class LaneReal>
KOKKOS_FORCEINLINE_FUNCTION LaneReal add_square(const LaneReal& sum, const LaneReal& difference,
                                                int axis) {
  return axis == 0 ? difference * difference : lane_fma(difference, difference, sum);
}

/// Squared distance of the lanes' queries to one point, given as `point(axis)`.
template <class L, int Dim, class Point>
KOKKOS_FORCEINLINE_FUNCTION typename L::Real squared_distance(const LanePoint<L, Dim>& x,
                                                              const Point& point) {
  using LaneReal = typename L::Real;
  LaneReal sum(Real(0));
  for (int a = 0; a < Dim; ++a) sum = add_square<LaneReal>(sum, x[a] - LaneReal(point(a)), a);
  return sum;
}

/// One particle of a point set, as the `point` argument of `squared_distance`.
template <int Dim, class MemorySpace>
struct PointAt {
  const Points<Dim, MemorySpace>& points;
  Count row;
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(int axis) const { return points(row, axis); }
};

/// An array of coordinates, as the `point` argument of `squared_distance`.
template <int Dim>
struct ArrayPoint {
  const Kokkos::Array<Real, Dim>& x;
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(int axis) const { return x[axis]; }
};

namespace detail {
/// Upper bound of the relative rounding error of a difference of two computed distances.
inline constexpr Real distance_slack = sizeof(Real) == 4 ? Real(2e-6) : Real(4e-15);
/// Absolute part of that bound, for distances so small that their squares lose digits.
inline constexpr Real least_slack = sizeof(Real) == 4 ? Real(1e-21) : Real(1e-160);
}  // namespace detail

/// An axis-aligned box, tight around the node's points. A node without points has lower > upper.
template <int Dim>
struct BoxBound {
  Kokkos::Array<Real, Dim> lower;
  Kokkos::Array<Real, Dim> upper;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real min_distance2(const LanePoint<L, Dim>& x) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(
          sum,
          lane_max(lane_max(LaneReal(lower[a]) - x[a], x[a] - LaneReal(upper[a])), LaneReal(0)), a);
    return sum;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real max_distance2(const LanePoint<L, Dim>& x) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(sum,
                                 lane_max(LaneReal(upper[a]) - x[a], x[a] - LaneReal(lower[a])), a);
    return sum;
  }
  /// Order of two children in a guided walk: the child with the lower value is searched first.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real nearness(const LanePoint<L, Dim>& x) const {
    return min_distance2<L>(x);
  }
};

/// A ball around the mean of the node's points. A node without points has radius < 0.
template <int Dim>
struct BallBound {
  Kokkos::Array<Real, Dim> center;
  Real radius;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real min_distance2(const LanePoint<L, Dim>& x) const {
    using LaneReal = typename L::Real;
    const LaneReal d = lane_sqrt(nearness<L>(x));
    const LaneReal gap = d - LaneReal(radius) -
                         (d + LaneReal(radius)) * LaneReal(detail::distance_slack) -
                         LaneReal(detail::least_slack);
    const LaneReal least = lane_max(gap, LaneReal(0));
    return least * least;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real nearness(const LanePoint<L, Dim>& x) const {
    return squared_distance<L, Dim>(x, ArrayPoint<Dim>{center});
  }
};

/// All points whose distance to the parent's vantage point is in [inner, outer]; for the root, the
/// distance to the origin. A node without points has inner > outer.
template <int Dim>
struct ShellBound {
  Kokkos::Array<Real, Dim> vantage;
  Real inner;
  Real outer;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real min_distance2(const LanePoint<L, Dim>& x) const {
    using LaneReal = typename L::Real;
    const LaneReal d = distance<L>(x);
    const LaneReal gap = lane_max(LaneReal(inner) - d, d - LaneReal(outer)) -
                         (d + LaneReal(inner)) * LaneReal(detail::distance_slack) -
                         LaneReal(detail::least_slack);
    const LaneReal least = lane_max(gap, LaneReal(0));
    return least * least;
  }
  /// Distance to the shell; negative inside.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real nearness(const LanePoint<L, Dim>& x) const {
    return outside<L>(distance<L>(x));
  }
  /// True if this child is at most as far as its sibling. Siblings share a vantage point, so one
  /// distance serves both, which halves the distances computed to choose between them.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask nearer_than(const ShellBound& sibling,
                                                           const LanePoint<L, Dim>& x) const {
    const typename L::Real d = distance<L>(x);
    return outside<L>(d) <= sibling.template outside<L>(d);
  }

 private:
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real outside(const typename L::Real& d) const {
    using LaneReal = typename L::Real;
    return lane_max(LaneReal(inner) - d, d - LaneReal(outer));
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real distance(const LanePoint<L, Dim>& x) const {
    return lane_sqrt(squared_distance<L, Dim>(x, ArrayPoint<Dim>{vantage}));
  }
};

/// True if the first of two children is at most as far from the query as the second, by `nearness`.
template <class L, class Bound, class Point>
KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_is_nearer(const Bound& first,
                                                             const Bound& second, const Point& x) {
  if constexpr (requires { first.template nearer_than<L>(second, x); }) {
    return first.template nearer_than<L>(second, x);
  } else {
    return first.template nearness<L>(x) <= second.template nearness<L>(x);
  }
}

}  // namespace copse
