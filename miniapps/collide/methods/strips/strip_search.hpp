#pragma once
/// \file
/// The pairs of particles of sorted strips that may be in contact.
///
/// One register of particles is compared with a block of candidates. The block is examined lane by
/// lane only if its smallest distance is within the reach, so each block has one branch for
/// contacts and one for the end of the loop. For images and for strips at a periodic side the
/// arithmetic differs from that of `Region::displacement`. The reach is therefore larger by more
/// than the rounding errors, and the caller tests every pair again.

#include "strip_table.hpp"
#include <copse/backend/native_vector.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace copse::collide {

template <int D>
class StripSearch {
 public:
  using Doubles = NativeVector<double>;
  static constexpr LocalIndex lanes = native_lanes<double>;

  StripSearch(const Region<D>& region, double reach)
      : side_(region.side), reach_(reach), reach2_(reach * reach) {}

  /// A reach that is safe for comparisons with rounding errors.
  static double safe_reach(const Region<D>& region, double reach) {
    double longest = 0.0;
    for (int a = 0; a < D; ++a) longest = std::max(longest, region.side[a]);
    return reach * (1.0 + 1e-12) + 8.0 * std::numeric_limits<double>::epsilon() * longest;
  }

  /// Columns that are needed soon, each as long as those of the strip that is searched.
  using Ahead = std::array<const void*, 2 * D>;

  /// Calls f(i, j) for the pairs i < j of one strip, images included.
  template <bool Wrap, class F>
  void pairs_within(const StripColumns<D>& c, LocalIndex rows, const Ahead& ahead,
                    const F& f) const {
    const Doubles reach2(reach2_), reach(reach_);
    for (LocalIndex i = 0; i < rows; i += lanes) {
      for (const void* column : ahead)
        __builtin_prefetch(static_cast<const double*>(column) + i, 1);
      const Point here = load(c, i);
      for (LocalIndex j = i + 1;; j += own_block) {
        const auto distance2_to = [&](LocalIndex u) {
          return distance2<Wrap>(here, load(c, j + u));
        };
        Doubles nearest = distance2_to(0);
        for (LocalIndex u = 1; u < own_block; ++u)
          nearest = native_min<double>(distance2_to(u), nearest);
        if (bits(nearest <= reach2) != 0)
          for (LocalIndex u = 0; u < own_block; ++u)
            for_each_lane(distance2_to(u) <= reach2,
                          [&](LocalIndex lane) { f(i + lane, j + u + lane); });
        if (bits(load_native(c.x[0] + j + own_block) - here.x[0] <= reach) == 0) break;
      }
    }
  }

  /// Calls f(i, j) for the pairs of i in one strip and j in another, images included.
  template <bool Wrap, class F>
  void pairs_between(const StripColumns<D>& c, LocalIndex rows, const StripColumns<D>& others,
                     const F& f) const {
    const Doubles reach2(reach2_);
    LocalIndex first = 0;  // of the other strip in reach of row i
    for (LocalIndex i = 0; i < rows; i += lanes) {
      const double low = c.x[0][i] - reach_;
      const double high = c.x[0][std::min(i + lanes, rows) - 1] + reach_;
      first = advance(others.x[0], first, low);
      const Point here = load(c, i);
      for (LocalIndex j = first;; j += other_block) {
        const auto distance2_to = [&](LocalIndex u) {
          Point there;
          for (int a = 0; a < D; ++a) there.x[a] = Doubles(others.x[a][j + u]);
          return distance2<Wrap>(here, there);
        };
        Doubles nearest = distance2_to(0);
        for (LocalIndex u = 1; u < other_block; ++u)
          nearest = native_min<double>(distance2_to(u), nearest);
        if (bits(nearest <= reach2) != 0)
          for (LocalIndex u = 0; u < other_block; ++u)
            for_each_lane(distance2_to(u) <= reach2, [&](LocalIndex lane) { f(i + lane, j + u); });
        if (!(others.x[0][j + other_block] <= high)) break;
      }
    }
  }

 private:
  static constexpr LocalIndex own_block = 2;
  static constexpr LocalIndex other_block = 8;
  static_assert(StripTable<D, Kokkos::DefaultHostExecutionSpace>::padding >=
                2 * other_block + lanes);

  struct Point {
    Doubles x[D];
  };

  static std::uint32_t bits(const typename Doubles::mask_type& mask) {
    return native_bits<double>(mask);
  }
  template <class F>
  static void for_each_lane(const typename Doubles::mask_type& mask, const F& f) {
    for (std::uint32_t left = native_bits<double>(mask); left != 0; left &= left - 1)
      f(static_cast<LocalIndex>(std::countr_zero(left)));
  }
  static Point load(const StripColumns<D>& c, LocalIndex i) {
    Point point;
    for (int a = 0; a < D; ++a) point.x[a] = load_native(c.x[a] + i);
    return point;
  }

  template <bool Wrap>
  KOKKOS_FORCEINLINE_FUNCTION Doubles distance2(const Point& a, const Point& b) const {
    Doubles r2(0.0);
    for (int axis = 0; axis < D; ++axis) {
      Doubles d = b.x[axis] - a.x[axis];
      if (Wrap && axis > 0) {
        d = native_abs<double>(d);
        d = native_min<double>(d, Doubles(side_[axis]) - d);
      }
      r2 = axis == 0 ? d * d : r2 + d * d;
    }
    return r2;
  }

  /// The first row at or after `first` that is not below `low`.
  static LocalIndex advance(const double* x, LocalIndex first, double low) {
    constexpr LocalIndex step = lanes < 4 ? 4 : lanes;
    for (;;) {
      int below = 0;
      for (LocalIndex r = 0; r < step; r += lanes)
        below += std::popcount(bits(load_native(x + first + r) < Doubles(low)));
      first += static_cast<LocalIndex>(below);
      if (below < static_cast<int>(step)) return first;
    }
  }

  Vector<D> side_;
  double reach_;
  double reach2_;
};

}  // namespace copse::collide
