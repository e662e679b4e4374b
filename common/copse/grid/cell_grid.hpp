#pragma once
/// \file
/// A regular grid of cells over a box, in any dimension.
///
/// Invariants
///  - Every point of the box is in one cell; points outside belong to the nearest cell of the grid.
///  - Cells are numbered with axis 0 fastest.
///  - The cell of a coordinate is a monotone function of the coordinate, so two points whose
///    coordinates differ by at most `reach` sides on every axis are at most `reach` cells apart
///    (the sides are longer than asked for by more than the rounding errors).

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace copse {

/// T is the type of the coordinates.
template <int D, class T>
struct CellGrid {
  Kokkos::Array<T, D> lower{};
  Kokkos::Array<T, D> per_length{};  ///< cells per unit of length
  Kokkos::Array<std::uint32_t, D> cells{};
  bool periodic = false;

  /// Cells with sides of at least `side`, and at most `most_cells` of them (then with longer
  /// sides). `upper` >= `lower`, both finite; `side` > 0; `most_cells` >= 1. O(D log most_cells).
  static CellGrid cover(const Kokkos::Array<T, D>& lower, const Kokkos::Array<T, D>& upper,
                        double side, bool periodic, Count most_cells) {
    CellGrid grid;
    grid.lower = lower;
    grid.periodic = periodic;
    constexpr double least_rounding = sizeof(T) == 4 ? 1e-5 : 1e-10;
    constexpr double epsilon = std::numeric_limits<T>::epsilon();
    for (;; side *= 1.01) {
      double total = 1.0;
      for (int a = 0; a < D; ++a) {
        const double extent = static_cast<double>(upper[a]) - static_cast<double>(lower[a]);
        // The rounding error of `place` in `coordinate` is proportional to the number of cells.
        const double rounding = std::max(least_rounding, 4.0 * epsilon * extent / side);
        const double fitting = std::floor(extent / (side * (1.0 + rounding)));
        const double count = std::clamp(fitting, 1.0, 4294967295.0);
        grid.cells[a] = static_cast<std::uint32_t>(count);
        grid.per_length[a] = static_cast<T>(extent > 0.0 ? count / extent : 0.0);
        total *= count;
      }
      if (total <= static_cast<double>(most_cells)) return grid;
    }
  }

  /// Number of cells.
  KOKKOS_FORCEINLINE_FUNCTION Count size() const {
    Count product = 1;
    for (int a = 0; a < D; ++a) product *= cells[a];
    return product;
  }

  /// Cell of x along an axis; outside the box the nearest, for NaN 0.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t coordinate(T x, int axis) const {
    const T place = (x - lower[axis]) * per_length[axis];
    if (!(place > 0)) return 0;  // NaN too
    const std::uint32_t last = cells[axis] - 1;
    return place < static_cast<T>(last) ? static_cast<std::uint32_t>(place) : last;
  }

  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<std::uint32_t, D> coordinates(
      const Kokkos::Array<T, D>& x) const {
    Kokkos::Array<std::uint32_t, D> place;
    for (int a = 0; a < D; ++a) place[a] = coordinate(x[a], a);
    return place;
  }

  /// Number of the cell at `place`.
  KOKKOS_FORCEINLINE_FUNCTION Count number(const Kokkos::Array<std::uint32_t, D>& place) const {
    Count cell = place[D - 1];
    for (int a = D - 2; a >= 0; --a) cell = cell * cells[a] + place[a];
    return cell;
  }

  KOKKOS_FORCEINLINE_FUNCTION Count cell_of(const Kokkos::Array<T, D>& x) const {
    return number(coordinates(x));
  }

  /// The inverse of `number`; D divisions.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<std::uint32_t, D> place_of(Count cell) const {
    Kokkos::Array<std::uint32_t, D> place;
    for (int a = 0; a < D; ++a) {
      place[a] = static_cast<std::uint32_t>(cell % cells[a]);
      cell /= cells[a];
    }
    return place;
  }

  /// Cells of one axis at most `reach` from `place`: the first and their number. In a periodic grid
  /// they wrap, each cell once; otherwise they end at the sides.
  struct Span {
    std::uint32_t first = 0, count = 0;
  };
  KOKKOS_FORCEINLINE_FUNCTION Span span(std::uint32_t place, int axis, std::uint32_t reach) const {
    const std::uint32_t n = cells[axis];
    if (periodic && 2 * reach + 1 >= n) return {0, n};
    if (periodic) return {place >= reach ? place - reach : place + n - reach, 2 * reach + 1};
    const std::uint32_t first = place > reach ? place - reach : 0;
    const std::uint32_t last = place + reach < n ? place + reach : n - 1;
    return {first, last - first + 1};
  }

  /// How many cells away on any axis two points may be whose coordinates differ by at most
  /// `distance`: the reach of searches. At most the number of cells.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t cells_within(T distance) const {
    std::uint32_t reach = 0;
    for (int a = 0; a < D; ++a) {
      const T sides = Kokkos::ceil(distance * per_length[a]);
      const std::uint32_t here =
          sides < static_cast<T>(cells[a]) ? static_cast<std::uint32_t>(sides) : cells[a];
      reach = here > reach ? here : reach;
    }
    return reach;
  }

  /// Calls f(first, last) for ranges of consecutive cells, `last` included, that together are the
  /// cells at most `reach` cells away from `place` on every axis, each once.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_near_range(const Kokkos::Array<std::uint32_t, D>& place,
                                                       std::uint32_t reach, const F& f) const {
    visit<D - 1>(place, reach, 0, f);
  }

  /// Calls f(base) for every line of cells along axis 0 that is at most `reach` lines away on the
  /// other axes, once; its cells are base to base + cells[0] - 1.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_near_line(const Kokkos::Array<std::uint32_t, D>& place,
                                                      std::uint32_t reach, const F& f) const {
    visit_lines<D - 1>(place, reach, 0, f);
  }

  /// Lines of cells along axis 0 that touch or contain a cell: 3^(D - 1).
  static constexpr int adjacent_lines = D == 1 ? 1 : D == 2 ? 3 : 9;

  /// The first cell of one of the adjacent lines. \return false if the grid has no such line
  KOKKOS_FORCEINLINE_FUNCTION bool adjacent_line(const Kokkos::Array<std::uint32_t, D>& place,
                                                 int number, Count& first) const {
    static_assert(D <= 3);
    bool inside = true;
    first = 0;
    for (int a = D - 1; a > 0; --a) {
      const auto step = static_cast<std::uint32_t>(a == D - 1 ? number % 3 : number / 3);
      const Span near = span(place[a], a, 1);
      inside = inside && step < near.count;
      const std::uint32_t c = near.first + step;
      first = first * cells[a] + (c < cells[a] ? c : c - cells[a]);
    }
    first *= cells[0];
    return inside;
  }

  /// Calls f(cell) for every cell at most `reach` cells away from `place` on every axis, once.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_near(const Kokkos::Array<std::uint32_t, D>& place,
                                                 std::uint32_t reach, const F& f) const {
    for_each_near_range(place, reach, [&](Count first, Count last) {
      for (Count cell = first; cell <= last; ++cell) f(cell);
    });
  }

 private:
  template <int Axis, class F>
  KOKKOS_FORCEINLINE_FUNCTION void visit_lines(const Kokkos::Array<std::uint32_t, D>& place,
                                               std::uint32_t reach, Count above, const F& f) const {
    const Count base = above * cells[Axis];
    if constexpr (Axis == 0) {
      f(base);
    } else {
      const Span near = span(place[Axis], Axis, reach);
      std::uint32_t c = near.first;
      for (std::uint32_t k = 0; k < near.count; ++k) {
        visit_lines<Axis - 1>(place, reach, base + c, f);
        c = c + 1 < cells[Axis] ? c + 1 : 0;
      }
    }
  }

  template <int Axis, class F>
  KOKKOS_FORCEINLINE_FUNCTION void visit(const Kokkos::Array<std::uint32_t, D>& place,
                                         std::uint32_t reach, Count above, const F& f) const {
    const Span near = span(place[Axis], Axis, reach);
    const Count base = above * cells[Axis];
    if constexpr (Axis == 0) {
      const std::uint32_t fit = cells[0] - near.first;  // up to the end of the axis
      if (near.count <= fit) return f(base + near.first, base + near.first + near.count - 1);
      f(base + near.first, base + cells[0] - 1);
      f(base, base + near.count - fit - 1);
    } else {
      std::uint32_t c = near.first;
      for (std::uint32_t k = 0; k < near.count; ++k) {
        visit<Axis - 1>(place, reach, base + c, f);
        c = c + 1 < cells[Axis] ? c + 1 : 0;
      }
    }
  }
};

}  // namespace copse
