#pragma once
/// \file
/// The friendship criterion. All methods share this one definition and agree to the last bit
/// ([Wood 2014] section 3.1).
///
/// Two particles are friends if, in 3-D (eq. 3.2),
///
///     |x1 - x2|^2 < b^2
///
/// and in 6-D (eq. 3.3), with the velocity link psi,
///
///     |x1 - x2|^2 / b^2 + |v1 - v2|^2 / psi^2 < 1.
///
/// The code computes the second as |x1 - x2|^2 + (b / psi)^2 |v1 - v2|^2 < b^2. An infinite psi
/// then gives exactly the first, and a lower bound of the position term alone is enough to prune a
/// pair.
///
/// In a periodic box a coordinate difference d becomes min(|d|, L - |d|). Particles are never
/// shifted by L: the rounding would depend on which of the two is shifted, and the criterion would
/// not be symmetric. A non-periodic axis has L = infinity, for which the same formula gives |d|.
///
/// Everything here is symmetric in the pair and rounds monotonically. Distances computed between
/// bounding boxes therefore bound the distances computed between points in them, without a
/// tolerance.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Which periodic images a distance considers.
enum class Images {
  nearest,  ///< the nearer of the two images
  own,      ///< no wrap-around; equal to `nearest` where `own_images` holds, for a third of the
            ///< operations
};

/// Cost of one pair test: 11 flops in 3-D without the comparison, 21 in 6-D.
struct Friendship {
  Real reach2 = 0;                  ///< pairs whose computed sum is below this are friends
  Real velocity_factor = 0;         ///< (b / psi)^2; 0 in 3-D
  Kokkos::Array<Real, 3> period{};  ///< box length per axis, or infinity
  bool wraps = true;                ///< true if any axis is periodic; true is always correct

  /// Distance along one axis for coordinates that differ by `difference`.
  template <class LaneReal>
  KOKKOS_FORCEINLINE_FUNCTION LaneReal apart(const LaneReal& difference, int axis) const {
    const LaneReal d = lane_max(difference, LaneReal(Real(0)) - difference);
    return lane_min(d, LaneReal(period[axis]) - d);
  }

  /// True if no pair of points, one from each box, is nearer through the periodic boundary. All
  /// computed differences are then at most half a period, so the remainder of the period is never
  /// smaller.
  KOKKOS_FORCEINLINE_FUNCTION bool own_images(const BoxBound<3>& a, const BoxBound<3>& b) const {
    KOKKOS_IF_ON_HOST((if (!wraps) return true;))
    bool own = true;
    for (int i = 0; i < 3; ++i) {
      const Real far = lane_max(a.upper[i] - b.lower[i], b.upper[i] - a.lower[i]);
      own = own && far + far <= period[i];
    }
    return own;
  }

  /// |x1 - x2|^2 from each lane's point to one point, given as `point(axis)`.
  template <class L, Images images = Images::nearest, class Point>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real distance2(const LanePoint<L, 3>& x,
                                                         const Point& point) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < 3; ++a) {
      LaneReal difference = x[a] - LaneReal(point(a));
      if constexpr (images == Images::nearest) difference = apart<LaneReal>(difference, a);
      sum = add_square<LaneReal>(sum, difference, a);
    }
    return sum;
  }

  /// Adds the velocity term to a squared distance.
  template <class L, class Point>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real with_velocity2(const typename L::Real& distance2,
                                                              const LanePoint<L, 3>& v,
                                                              const Point& velocity) const {
    using LaneReal = typename L::Real;
    return lane_fma(squared_distance<L, 3>(v, velocity), LaneReal(velocity_factor), distance2);
  }

  /// Lower bound of |x1 - x2|^2 from each lane's point to any point of the box.
  template <class L, Images images = Images::nearest>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real least_distance2(const BoxBound<3>& box,
                                                               const LanePoint<L, 3>& x) const {
    using LaneReal = typename L::Real;
    const LaneReal zero(Real(0));
    LaneReal sum = zero;
    for (int a = 0; a < 3; ++a) {
      const LaneReal below = LaneReal(box.lower[a]) - x[a];
      const LaneReal above = x[a] - LaneReal(box.upper[a]);
      LaneReal gap = lane_max(below, above);
      if constexpr (images == Images::nearest) {
        // `far` is the largest difference to a point of the box; L - far bounds the wrapped
        // distance.
        const LaneReal far = lane_max(LaneReal(box.upper[a]) - x[a], x[a] - LaneReal(box.lower[a]));
        gap = lane_min(gap, LaneReal(period[a]) - far);
      }
      sum = add_square<LaneReal>(sum, lane_max(gap, zero), a);
    }
    return sum;
  }

  /// True in the lanes for which the first child of a node is at most as far as the second.
  template <class L, class Tree>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_child_first(const Tree& tree,
                                                                 std::uint32_t node,
                                                                 const LanePoint<L, 3>& x) const {
    const std::uint32_t first = tree.first_child(node);
    return least_distance2<L>(tree.bounds(first), x) <=
           least_distance2<L>(tree.bounds(first + 1), x);
  }

  /// Lower bound of |x1 - x2|^2 between any two points of two boxes.
  KOKKOS_FORCEINLINE_FUNCTION Real least_distance2(const BoxBound<3>& a,
                                                   const BoxBound<3>& b) const {
    // On a host the terms of the images take an eighth of the time of linking.
    KOKKOS_IF_ON_HOST((if (!wraps) return box_distance2<Images::own>(a, b);))
    return box_distance2<Images::nearest>(a, b);
  }

  /// Upper bound of |x1 - x2|^2 between any two points of a box.
  KOKKOS_FORCEINLINE_FUNCTION Real diameter2(const BoxBound<3>& box) const {
    Real sum = 0;
    for (int a = 0; a < 3; ++a) sum = add_square<Real>(sum, box.upper[a] - box.lower[a], a);
    return sum;
  }

 private:
  template <Images images>
  KOKKOS_FORCEINLINE_FUNCTION Real box_distance2(const BoxBound<3>& a, const BoxBound<3>& b) const {
    Real sum = 0;
    for (int i = 0; i < 3; ++i) {
      Real apart = lane_max(a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]);
      if constexpr (images == Images::nearest) {
        const Real far = lane_max(a.upper[i] - b.lower[i], b.upper[i] - a.lower[i]);
        apart = lane_min(apart, period[i] - far);
      }
      // 2 max(apart, 0), exactly, where a maximum would become a branch that is hard to predict.
      sum = add_square<Real>(sum, apart + Kokkos::abs(apart), i);
    }
    return Real(0.25) * sum;
  }
};

/// The nearest particle that a query has found so far; of those at the same computed distance, the
/// one with the smallest index.
template <class L>
struct Nearest {
  typename L::Real distance2;  ///< to beat, or to equal with a smaller index
  typename L::Index row;

  KOKKOS_FORCEINLINE_FUNCTION void keep(const typename L::Real& d2, const typename L::Index& here,
                                        typename L::Mask mask) {
    const typename L::Mask nearer = mask & ((d2 < distance2) | ((d2 == distance2) & (here < row)));
    distance2 = select(nearer, d2, distance2);
    row = select(nearer, here, row);
  }
};

/// True if particles in two boxes may be friends. Selects the ghosts of a domain
/// (copse/domains/ghosts.hpp). The bound needs no tolerance: rounding cannot lose a pair of
/// friends.
struct MayBeFriends {
  Friendship rule;
  KOKKOS_FUNCTION bool operator()(const BoxBound<3>& domain, const BoxBound<3>& here) const {
    return rule.least_distance2(domain, here) < rule.reach2;
  }
};

/// Linking lengths requested by the user, in the units of the particles.
struct LinkingLengths {
  double length = 0.0;     ///< b, in units of length; positive
  double velocity = 0.0;   ///< psi, in units of velocity; infinity means 3-D
  bool inclusive = false;  ///< pairs at exactly the computed linking length are friends too
};

/// Builds the criterion for particles in `box`, with its periodic axes.
/// \throws InputError if b or psi is not a positive number, if b^2 is outside the range of Real, or
/// if b exceeds half of a periodic side, where a pair may be friends through both images
Friendship make_friendship(const LinkingLengths& links, const Box<3>& box);

}  // namespace copse::fof
