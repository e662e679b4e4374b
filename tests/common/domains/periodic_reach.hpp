#pragma once
/// \file
/// A ghost predicate: true for boxes closer than a given distance.

#include <copse/backend/lanes.hpp>
#include <copse/particles/box.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace copse::test {

struct PeriodicReach {
  Real reach2;
  Kokkos::Array<Real, 3> period;  ///< infinity on axes that are not periodic

  KOKKOS_FUNCTION bool operator()(const BoxBound<3>& a, const BoxBound<3>& b) const {
    Real sum = 0;
    for (int i = 0; i < 3; ++i) {
      const Real gap = lane_max(a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]);
      const Real far = lane_max(a.upper[i] - b.lower[i], b.upper[i] - a.lower[i]);
      const Real near = lane_max(lane_min(gap, period[i] - far), Real(0));
      sum = i == 0 ? near * near : lane_fma(near, near, sum);
    }
    return sum < reach2;
  }
};

inline PeriodicReach reach_in(const Box<3>& box, double length) {
  PeriodicReach reach{static_cast<Real>(length) * static_cast<Real>(length), {}};
  for (int a = 0; a < 3; ++a)
    reach.period[a] = box.periodic[a] ? box.extent(a) : std::numeric_limits<Real>::infinity();
  return reach;
}

}  // namespace copse::test
