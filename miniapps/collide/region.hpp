#pragma once
/// \file
/// The region that particles move in: a box from the origin with walls or periodic sides.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse::collide {

template <int D>
using Vector = Kokkos::Array<double, D>;

/// [0, side]^D. All sides are walls, or all are periodic. Every function rounds the same way on
/// every backend if the compiler does not fuse products and sums.
template <int D>
struct Region {
  Vector<D> side{};
  bool periodic = false;
  Count particles = 0;  ///< of all ranks

  static constexpr double far = 4294967296.0;

  /// Mean number of particles in a square or cube with this side.
  double crowding(double length) const {
    auto mean = static_cast<double>(particles);
    for (int a = 0; a < D; ++a) mean *= length / side[a];
    return mean;
  }
  /// Are there one or more particles in a square or cube with this side, on average?
  bool crowded(double length) const { return crowding(length) >= 1.0; }

  /// From `from` to `to`, in a periodic region to its nearest image. Antisymmetric, bit by bit.
  KOKKOS_FORCEINLINE_FUNCTION double displacement(double from, double to, int axis) const {
    const double d = to - from;
    return periodic ? nearest(d, side[axis]) : d;
  }
  /// The nearest image of a difference, at most a side, of two coordinates.
  KOKKOS_FORCEINLINE_FUNCTION static double nearest(double d, double side) {
    const double half = 0.5 * side;
    return d > half ? d - side : d < -half ? d + side : d;
  }

  /// Returns a coordinate to the region: a wall reflects it and reverses its velocity; in a
  /// periodic region it moves by whole sides. A coordinate on a side stays. A coordinate beyond
  /// `far` sides becomes NaN, because too few bits of its place are left. NaN stays NaN.
  KOKKOS_FORCEINLINE_FUNCTION void fold(double& x, double& v, int axis) const {
    const double l = side[axis];
    if (x >= 0.0 && x <= l) return;
    if (!(Kokkos::fabs(x) <= far * l)) {
      x = Kokkos::Experimental::quiet_NaN_v<double>;
      return;
    }
    if (periodic) {
      x = x < 0.0 ? x + l : x - l;
      if (!(x >= 0.0 && x <= l)) x -= l * Kokkos::floor(x / l);
      if (x < 0.0 || x > l) x = 0.0;  // a rounding error away from a side
      return;
    }
    x = x < 0.0 ? -x : 2.0 * l - x;
    v = -v;
    if (x >= 0.0 && x <= l) return;
    // Further than one side away: positions repeat after two sides.
    x -= 2.0 * l * Kokkos::floor(x / (2.0 * l));
    if (x > l) {
      x = 2.0 * l - x;
      v = -v;
    }
    if (x < 0.0 || x > l) x = 0.0;
  }
};

/// A box in a region.
template <int D>
struct Part {
  Vector<D> lower{}, upper{};
};

}  // namespace copse::collide
