#pragma once
/// \file
/// Orders points along a space-filling curve.
///
/// The curve visits the cells of a grid over a box (curve_grid.hpp). Keys are bitwise equal on
/// every backend.

#include <copse/algorithms/curve_grid.hpp>
#include <copse/algorithms/hilbert_curve.hpp>
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace copse {

namespace detail {

/// Points that a host processes at once: 16 words of 32 bits fill its widest vectors.
inline constexpr int curve_lanes = 16;

template <Curve curve, int Dim, int Lanes, class PointsView, class KeyView>
struct WriteCurveKeys {
  PointsView points;
  KeyView keys;
  CurveGrid<Dim> grid;
  int levels;    ///< of the grid of the keys; those below are dropped
  int row_bits;  ///< lowest bits of a key that hold the row of its point; usually 0

  KOKKOS_FUNCTION void operator()(Count tile) const {
    const Count first = tile * Lanes;
    const Count left = points.extent(0) - first;
    const int in_use = left < Count{Lanes} ? static_cast<int>(left) : Lanes;
    const int dropped = curve_bits<Dim> - levels;
    constexpr bool by_table = Lanes == 1 && has_curve_turns<Dim>;
    CurveCells<Dim, Lanes> cells;
    for (int l = 0; l < in_use; ++l) {
      Kokkos::Array<typename PointsView::non_const_value_type, Dim> x{};
      for (int a = 0; a < Dim; ++a) x[a] = points(first + l, a);
      CurveCell<Dim> cell = grid.cell(x);
      for (int a = 0; a < Dim; ++a) cell[a] >>= dropped;
      if constexpr (curve == Curve::morton) {
        write(first + l, morton_key<Dim>(cell));
      } else if constexpr (by_table) {
        write(first + l, hilbert_key<Dim>(cell, levels));
      } else {
        for (int a = 0; a < Dim; ++a) cells.word[a][l] = cell[a];
      }
    }
    if constexpr (curve == Curve::hilbert && !by_table) {
      std::uint64_t tile_keys[Lanes] = {};
      hilbert_keys(cells, tile_keys, levels);
      for (int l = 0; l < in_use; ++l) write(first + l, tile_keys[l]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write(Count row, std::uint64_t key) const {
    keys(row) = row_bits > 0 ? key << row_bits | row : key;
  }
};

/// Separates keys and rows that were sorted as one number.
template <class KeyView, class OrderView>
struct SplitKeys {
  KeyView keys;
  OrderView order;
  int row_bits;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const std::uint64_t both = keys(i);
    order(i) = static_cast<LocalIndex>(both & ((std::uint64_t{1} << row_bits) - 1));
    keys(i) = both >> row_bits;
  }
};

template <Curve curve, int Dim, class ExecutionSpace, class PointsView, class KeyView>
void write_curve_keys(const char* label, const ExecutionSpace& space, const PointsView& points,
                      const Box<Dim>& box, const KeyView& keys, int levels, int row_bits) {
  constexpr int lanes = runs_on_host<ExecutionSpace> ? curve_lanes : 1;
  const Count tiles = (points.extent(0) + lanes - 1) / lanes;
  Kokkos::parallel_for(label, CountRange<ExecutionSpace>(space, 0, tiles),
                       WriteCurveKeys<curve, Dim, lanes, PointsView, KeyView>{
                           points, keys, CurveGrid<Dim>(box), levels, row_bits});
}

}  // namespace detail

/// keys(i) = the key of point i in the grid over `box`, or in one with 2^levels cells per side.
/// `points` is a View [n][Dim], `keys` a View of n 64-bit words. With `row_bits`, the key is
/// shifted by as many bits and i is added. O(n) for Morton, O(n levels) for Hilbert keys; no
/// synchronisation.
///
/// Bytes per point: Dim coordinates read, 8 written. Hilbert keys also take about 9 integer
/// operations for each of the Dim * levels bits, on a device in two or three dimensions one lookup
/// in a table for each level.
template <int Dim, class ExecutionSpace, class PointsView, class KeyView>
void curve_keys(const ExecutionSpace& space, const PointsView& points, const Box<Dim>& box,
                Curve curve, const KeyView& keys, int levels = curve_bits<Dim>, int row_bits = 0) {
  static_assert(PointsView::static_extent(1) == Dim);
  if (curve == Curve::morton) {
    detail::write_curve_keys<Curve::morton>("copse::curve::morton_keys", space, points, box, keys,
                                            levels, row_bits);
  } else {
    detail::write_curve_keys<Curve::hilbert>("copse::curve::hilbert_keys", space, points, box, keys,
                                             levels, row_bits);
  }
}

/// The order of points along the curve: order(i) becomes the row of the i-th point and keys(i) its
/// key. Points of one cell keep their order, so the permutation is unique. All Views have n rows;
/// scratch is 12 bytes per row. O(n Dim levels / 8).
///
/// A device sorts keys and rows as one 64-bit number if they fit: passes of 16 bytes a row, not 24.
template <int Dim, class ExecutionSpace, class PointsView, class KeyView, class OrderView>
void curve_order(const ExecutionSpace& space, const PointsView& points, const Box<Dim>& box,
                 Curve curve, const KeyView& keys, const OrderView& order,
                 Workspace<typename ExecutionSpace::memory_space>& workspace,
                 int levels = curve_bits<Dim>) {
  if constexpr (!runs_on_host<ExecutionSpace>) {
    const int row_bits = std::bit_width(order.extent(0));
    if (row_bits + Dim * levels <= 64) {
      curve_keys(space, points, box, curve, keys, levels, row_bits);
      sort_keys_on_device(space, keys, {row_bits, row_bits + Dim * levels}, workspace);
      Kokkos::parallel_for("copse::curve::split_keys",
                           CountRange<ExecutionSpace>(space, 0, order.extent(0)),
                           detail::SplitKeys<KeyView, OrderView>{keys, order, row_bits});
      return;
    }
  }
  curve_keys(space, points, box, curve, keys, levels);
  number_rows("copse::curve::number", space, order);
  sort_by_key(space, keys, order, workspace, Dim * levels);
}

}  // namespace copse
