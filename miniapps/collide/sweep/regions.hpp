#pragma once
/// \file
/// A box divided into regions, one for a thread, with a halo around each [Li, Scott, Twigg 2012,
/// section 2.4].

#include "../region.hpp"
#include "sweep_lists.hpp"
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace copse::collide {

/// A regular grid of regions. A region is responsible for the particles between its bounds. Those
/// within `halo` inside of a bound are sent across, so a region also knows the particles within
/// `halo` outside of its bounds.
///
/// A region is wider than twice the halo, so a particle is sent across at most one bound of an
/// axis, and a region meets no particle twice. A periodic axis with one region is a circle.
template <int D>
struct Regions {
  static constexpr int directions = D == 2 ? 9 : 27;  ///< 3^D, with the one that stays
  static constexpr int stay = directions / 2;
  using Places = std::array<int, D>;

  Region<D> box;
  double halo = 0.0;
  Places counts{};

  /// The most regions up to `threads` that are wide enough; their numbers along the axes are as
  /// equal as possible.
  static Regions divide(const Region<D>& box, double reach, int threads) {
    Regions regions;
    regions.box = box;
    double longest = 0.0;
    Places most{};
    for (int a = 0; a < D; ++a) longest = std::max(longest, box.side[a]);
    regions.halo = reach * (1.0 + 1e-9) + 1e-12 * longest;
    for (int a = 0; a < D; ++a) {
      const double fitting = std::floor(box.side[a] / (2.5 * regions.halo));
      most[a] = static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(threads)));
    }
    for (int p = threads;; --p)
      if (factor(p, most, 0, regions.counts)) return regions;
  }

  int size() const {
    int product = 1;
    for (const int c : counts) product *= c;
    return product;
  }
  Places place_of(int region) const {
    Places place;
    for (int a = 0; a < D; ++a) {
      place[a] = region % counts[a];
      region /= counts[a];
    }
    return place;
  }
  int number(const Places& place) const {
    int region = place[D - 1];
    for (int a = D - 2; a >= 0; --a) region = region * counts[a] + place[a];
    return region;
  }
  double width(int axis) const { return box.side[axis] / counts[axis]; }
  bool divided(int axis) const { return counts[axis] > 1; }

  /// The region responsible for a place in the box.
  int owner(const Vector<D>& x) const {
    Places place;
    for (int a = 0; a < D; ++a) {
      const double p = x[a] / width(a);
      place[a] = p > 0.0 ? static_cast<int>(std::min<double>(p, counts[a] - 1)) : 0;  // NaN too
    }
    return number(place);
  }

  /// The neighbour of a region, if there is one. Directions are numbered by steps of -1, 0 and 1
  /// along the axes, axis 0 fastest.
  std::optional<int> neighbor(const Places& from, int direction) const {
    Places place = from;
    for (int a = 0; a < D; ++a, direction /= 3) {
      const int step = direction % 3 - 1;
      if (step == 0) continue;
      if (!divided(a)) return std::nullopt;
      place[a] += step;
      if (place[a] >= 0 && place[a] < counts[a]) continue;
      if (!box.periodic) return std::nullopt;
      place[a] = (place[a] + counts[a]) % counts[a];
    }
    return number(place);
  }

  /// Calls f(direction) for each direction in which a particle of the region is within the halo of
  /// a bound: one for a side, three for a corner of two axes, seven for one of three.
  template <class F>
  void for_each_direction(const Places& place, const Vector<D>& x, const F& f) const {
    int near[D], power = 1, all = 0;
    for (int a = 0; a < D; ++a, power *= 3) {
      const double lower = place[a] * width(a);
      near[a] = x[a] < lower + halo ? -1 : (x[a] > lower + width(a) - halo ? 1 : 0);
      if (!divided(a)) near[a] = 0;
      near[a] *= power;
      if (near[a] != 0) all |= 1 << a;
    }
    for (int axes = all; axes > 0; axes = (axes - 1) & all) {
      int direction = stay;
      for (int a = 0; a < D; ++a)
        if ((axes >> a & 1) != 0) direction += near[a];
      f(direction);
    }
  }

  /// The axes of the lists of a region: with its halo, or circles.
  Kokkos::Array<typename SweepLists<D>::Axis, D> axes(const Places& place) const {
    Kokkos::Array<typename SweepLists<D>::Axis, D> axes;
    for (int a = 0; a < D; ++a) {
      const double margin = divided(a) ? 2.0 * halo : 0.0;
      axes[a] = {place[a] * width(a) - margin, width(a) + 2.0 * margin,
                 box.periodic && !divided(a)};
    }
    return axes;
  }
  /// A place in the region or its halo, in the coordinates of its lists.
  Vector<D> unwrapped(const Places& place, Vector<D> x) const {
    if (!box.periodic) return x;
    for (int a = 0; a < D; ++a) {
      if (!divided(a)) continue;
      const double from_middle = x[a] - (place[a] + 0.5) * width(a);
      if (from_middle > 0.5 * box.side[a]) x[a] -= box.side[a];
      if (from_middle < -0.5 * box.side[a]) x[a] += box.side[a];
    }
    return x;
  }

 private:
  /// Factors of p for axes from `axis` on, the most equal ones first.
  static bool factor(int p, const Places& most, int axis, Places& counts) {
    if (axis == D - 1) {
      counts[axis] = p;
      return p <= most[axis];
    }
    const double root = std::pow(p, 1.0 / (D - axis));
    for (int up = static_cast<int>(root + 1e-9), down = up + 1; up >= 1 || down <= p;) {
      // Nearest to the root by ratio.
      const bool lower = up >= 1 && (down > p || root / up <= down / root);
      const int f = lower ? up-- : down++;
      if (p % f != 0 || f > most[axis]) continue;
      counts[axis] = f;
      if (factor(p / f, most, axis + 1, counts)) return true;
    }
    return false;
  }
};

}  // namespace copse::collide
