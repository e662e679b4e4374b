#pragma once
/// \file
/// Which particles are friends: the one definition that all methods share, bit by bit ([Wood 2014]
/// section 3.1).
///
/// Two particles are friends if, in 3-D (eq. 3.2),
///
///     |x1 - x2|^2 < b^2
///
/// and in 6-D (eq. 3.3), with the velocity link psi,
///
///     |x1 - x2|^2 / b^2 + |v1 - v2|^2 / psi^2 < 1.
///
/// The second is computed as |x1 - x2|^2 + (b / psi)^2 |v1 - v2|^2 < b^2, so that an infinite psi
/// is the first exactly, and so that a lower bound of the first sum alone rules a pair out.
///
/// In a periodic box a difference d of coordinates is min(|d|, L - |d|). Particles are not shifted
/// by L: rounding would depend on which one is shifted, and a pair might be friends seen from one
/// side and not from the other. An axis that is not periodic has L = infinity, for which the same
/// formula is |d|.
///
/// Everything here is symmetric in the pair and rounds monotonically: distances computed between
/// boxes bound distances computed between points in them without any tolerance.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Which images of a particle in a periodic box are looked at.
enum class Images {
  nearest,  ///< whichever is nearer
  own,  ///< the particle itself: the same numbers where `own_images` says so, for a third of the
        ///< operations
};

/// Cost of a test of two points: 11 flops in 3-D without counting the comparison, 20 in 6-D.
struct Friendship {
  Real reach2 = 0;                  ///< pairs with a computed sum below this are friends
  Real velocity_factor = 0;         ///< (b / psi)^2; 0 in 3-D
  Kokkos::Array<Real, 3> period{};  ///< length of the box, or infinity

  /// Distance along a periodic axis of coordinates that differ by `difference`.
  template <class LaneReal>
  KOKKOS_FORCEINLINE_FUNCTION LaneReal apart(const LaneReal& difference, int axis) const {
    const LaneReal d = lane_max(difference, LaneReal(Real(0)) - difference);
    return lane_min(d, LaneReal(period[axis]) - d);
  }

  /// Is no point of one box nearer to one of the other the other way round? Then differences are at
  /// most half a period as computed, and so what remains of the period is at least that.
  KOKKOS_FORCEINLINE_FUNCTION bool own_images(const BoxBound<3>& a, const BoxBound<3>& b) const {
    bool own = true;
    for (int i = 0; i < 3; ++i) {
      const Real far = lane_max(a.upper[i] - b.lower[i], b.upper[i] - a.lower[i]);
      own = own && far + far <= period[i];
    }
    return own;
  }

  /// |x1 - x2|^2 of the lanes' points to one, given as `point(axis)`.
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

  /// Adds the part of the velocities to a squared distance.
  template <class L, class Point>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real with_velocity2(const typename L::Real& distance2,
                                                              const LanePoint<L, 3>& v,
                                                              const Point& velocity) const {
    using LaneReal = typename L::Real;
    return lane_fma(squared_distance<L, 3>(v, velocity), LaneReal(velocity_factor), distance2);
  }

  /// At most |x1 - x2|^2 of any point of the box to the lanes' points.
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
        // The farthest coordinate in the box is this far; the other way round the period remains.
        const LaneReal far = lane_max(LaneReal(box.upper[a]) - x[a], x[a] - LaneReal(box.lower[a]));
        gap = lane_min(gap, LaneReal(period[a]) - far);
      }
      sum = add_square<LaneReal>(sum, lane_max(gap, zero), a);
    }
    return sum;
  }

  /// At most |x1 - x2|^2 of any two points of two boxes.
  KOKKOS_FORCEINLINE_FUNCTION Real least_distance2(const BoxBound<3>& a,
                                                   const BoxBound<3>& b) const {
    Real sum = 0;
    for (int i = 0; i < 3; ++i) {
      const Real gap = lane_max(a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]);
      const Real far = lane_max(a.upper[i] - b.lower[i], b.upper[i] - a.lower[i]);
      const Real around = period[i] - far;
      sum = add_square<Real>(sum, lane_max(lane_min(gap, around), Real(0)), i);
    }
    return sum;
  }

  /// At least |x1 - x2|^2 of any two points of a box.
  KOKKOS_FORCEINLINE_FUNCTION Real diameter2(const BoxBound<3>& box) const {
    Real sum = 0;
    for (int a = 0; a < 3; ++a) sum = add_square<Real>(sum, box.upper[a] - box.lower[a], a);
    return sum;
  }
};

/// Whether particles in two boxes may be friends: which particles are ghosts of a domain
/// (copse/domains/ghosts.hpp). A bound without tolerance: no pair of friends is missed by rounding.
struct MayBeFriends {
  Friendship rule;
  KOKKOS_FUNCTION bool operator()(const BoxBound<3>& domain, const BoxBound<3>& here) const {
    return rule.least_distance2(domain, here) < rule.reach2;
  }
};

/// What the user asks for, in the units of the particles.
struct LinkingLengths {
  double length = 0.0;     ///< b, in units of length; positive
  double velocity = 0.0;   ///< psi, in units of velocity; infinity: 3-D
  bool inclusive = false;  ///< pairs at exactly this computed distance are friends too
};

/// The definition for particles of `box`, whose periodic axes count.
/// \throws InputError if b or psi is not a positive number or b^2 is beyond the range of Real; and
///         if b is more than half of a periodic side, where a pair may be friends both ways round
Friendship make_friendship(const LinkingLengths& links, const Box<3>& box);

}  // namespace copse::fof
