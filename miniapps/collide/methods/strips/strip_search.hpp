#pragma once
/// \file
/// The pairs of particles of sorted strips that may be in contact.
///
/// One register of particles is compared with a block of candidates. The block is examined lane by
/// lane only if its smallest distance is within the reach, so each block has one branch for
/// contacts and one for the end of the loop. For images and for strips at a periodic side the
/// arithmetic differs from that of `Region::displacement`. The reach is therefore larger by more
/// than the rounding errors, and the caller tests every pair again.
///
/// Only rows that are near another strip can be in contact with its rows: a fifth of them if strips
/// are 5 reaches wide and no particle has strayed. They are copied together first.

#include "strip_table.hpp"
#include <copse/backend/native_vector.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace copse::collide {

/// Rows of a strip that are near another strip, in their order. The arrays are reused.
template <int D>
struct BorderRows {
  LocalIndex count = 0;
  std::vector<LocalIndex> row;  ///< [count] in their strip
  std::vector<double> x[D];     ///< [count], then NaN, as after the rows of a strip
};

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

  /// Copies the rows of a strip that are near a box around the axis of another strip: those whose
  /// distance from `center` is at most `extent` and the reach on every axis but 0.
  /// \param rows with images
  template <bool Wrap>
  void select(const StripColumns<D>& c, LocalIndex rows, const Vector<D>& center,
              const Vector<D>& extent, BorderRows<D>& near) const {
    if (near.row.size() < rows + block_rows) {
      near.row.resize(rows + rows / 2 + block_rows);
      for (auto& column : near.x) column.resize(rows + rows / 2 + padding);
    }
    LocalIndex count = 0;
    for (LocalIndex k = 0; k < rows; k += block_rows) {
      std::uint32_t near_bits = 0;
      for (LocalIndex r = 0; r < block_rows; r += lanes) {
        std::uint32_t some = ~std::uint32_t{0};
        for (int a = 1; a < D; ++a) {
          Doubles d = native_abs<double>(load_native(c.x[a] + k + r) - Doubles(center[a]));
          if (Wrap) d = native_min<double>(d, Doubles(side_[a]) - d);
          some &= bits(d <= Doubles(extent[a] + reach_));
        }
        near_bits |= (some & ((1u << lanes) - 1)) << r;
      }
      add_rows(k, set_bits[near_bits].data(), near.row.data() + count);
      count += static_cast<LocalIndex>(std::popcount(near_bits));
    }
    for (LocalIndex k = 0; k < count; ++k) {
      const LocalIndex row = near.row[k];
      for (int a = 0; a < D; ++a) near.x[a][k] = c.x[a][row];
    }
    for (auto& column : near.x)
      std::fill_n(column.begin() + count, padding, std::numeric_limits<double>::quiet_NaN());
    near.count = count;
  }

  /// Calls f(i, j) for the pairs of i in one strip and j in another.
  template <bool Wrap, class F>
  void pairs_between(const BorderRows<D>& near, const BorderRows<D>& others, const F& f) const {
    const Doubles reach2(reach2_);
    const double* const x = near.x[0].data();
    const double* const other_x = others.x[0].data();
    LocalIndex first = 0;  // of the other strip in reach of row i
    for (LocalIndex i = 0; i < near.count; i += lanes) {
      const double low = x[i] - reach_;
      const double high = x[std::min(i + lanes, near.count) - 1] + reach_;
      first = advance(other_x, first, low);
      Point here;
      for (int a = 0; a < D; ++a) here.x[a] = load_native(near.x[a].data() + i);
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
            for_each_lane(distance2_to(u) <= reach2,
                          [&](LocalIndex lane) { f(near.row[i + lane], others.row[j + u]); });
        if (!(other_x[j + other_block] <= high)) break;
      }
    }
  }

 private:
  static constexpr LocalIndex own_block = 3;
  static constexpr LocalIndex other_block = 8;
  static constexpr LocalIndex block_rows = 8;  ///< rows that are selected together
  static constexpr LocalIndex padding = StripTable<D, Kokkos::DefaultHostExecutionSpace>::padding;
  static_assert(padding >= 2 * other_block + lanes);
  static_assert(block_rows % lanes == 0);

  /// Entry m: the positions of the bits set in m, ascending.
  static constexpr auto set_bits = [] {
    std::array<std::array<LocalIndex, block_rows>, 1u << block_rows> table{};
    for (std::uint32_t mask = 0; mask < table.size(); ++mask)
      for (LocalIndex bit = 0, at = 0; bit < block_rows; ++bit)
        if ((mask >> bit & 1u) != 0) table[mask][at++] = bit;
    return table;
  }();

  struct Point {
    Doubles x[D];
  };

  /// A function of its own, because GCC uses vectors only if the arrays cannot overlap.
  static void add_rows(LocalIndex first, const LocalIndex* __restrict__ offsets,
                       LocalIndex* __restrict__ rows) {
    for (LocalIndex u = 0; u < block_rows; ++u) rows[u] = first + offsets[u];
  }
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
