#pragma once
/// \file
/// The rows of a table by cell of a grid: a counting sort.

#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/grid/cell_grid.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

/// A sort numbers cells with LocalIndex.
inline constexpr Count most_sorted_cells = (Count{1} << 32) - 1;

/// Rows of cell c: row(offsets(c)) to row(offsets(c + 1) - 1), ascending.
template <class MemorySpace>
struct CellList {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> offsets;  ///< [cells + 1]
  /// [n]; empty: the table is stored in the order of cells
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex row(LocalIndex place) const {
    return rows.extent(0) > 0 ? rows(place) : place;
  }

  /// Calls f(row) for every row of a cell.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_in(Count cell, const F& f) const {
    const LocalIndex end = offsets(cell + 1);
    for (LocalIndex k = offsets(cell); k < end; ++k) f(row(k));
  }
};

namespace detail {

template <int D, class T, class MemorySpace>
struct CountInCells {
  CellGrid<D, T> grid;
  Kokkos::View<const T* [D], Kokkos::LayoutLeft, MemorySpace> position;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> counts;  ///< [cells + 1], zero
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> cell;    ///< [n]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> slot;    ///< [n] within the cell

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    Kokkos::Array<T, D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    const Count c = grid.cell_of(x);
    cell(i) = static_cast<LocalIndex>(c);
    slot(i) = Kokkos::atomic_fetch_add(&counts(c), LocalIndex{1});
  }
};

template <class MemorySpace>
struct PlaceInCells {
  using Rows = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;
  Rows offsets, cell, slot, rows;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const { rows(offsets(cell(i)) + slot(i)) = i; }
};

/// Atomic slots come in any order; sorting the few rows of a cell makes the result deterministic.
template <class MemorySpace>
struct SortCells {
  using Rows = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;
  Rows offsets, rows;

  KOKKOS_FUNCTION void operator()(Count c) const {
    const LocalIndex begin = offsets(c), end = offsets(c + 1);
    if (end - begin <= small_cell) return insert(begin, end);
    if (ascending(begin, end)) return;  // always, if one thread took the slots
    // Shell's gaps keep a crowded cell below quadratic cost.
    for (LocalIndex gap = (end - begin) / 2; gap > 0; gap /= 2)
      for (LocalIndex k = begin + gap; k < end; ++k) {
        const LocalIndex row = rows(k);
        LocalIndex to = k;
        for (; to >= begin + gap && rows(to - gap) > row; to -= gap) rows(to) = rows(to - gap);
        rows(to) = row;
      }
  }

 private:
  static constexpr LocalIndex small_cell = 32;

  KOKKOS_FUNCTION bool ascending(LocalIndex begin, LocalIndex end) const {
    for (LocalIndex k = begin + 1; k < end; ++k)
      if (rows(k - 1) > rows(k)) return false;
    return true;
  }

  KOKKOS_FUNCTION void insert(LocalIndex begin, LocalIndex end) const {
    for (LocalIndex k = begin + 1; k < end; ++k) {
      const LocalIndex row = rows(k);
      LocalIndex to = k;
      for (; to > begin && rows(to - 1) > row; --to) rows(to) = rows(to - 1);
      rows(to) = row;
    }
  }
};

}  // namespace detail

/// Sorts rows into cells, keeping its arrays between calls.
template <class ExecutionSpace>
class CellSorter {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit CellSorter(const ExecutionSpace& space = {}) : space_(space) {}

  /// `position` [n][D], n < 2^32. O(n + cells), asynchronous; 12 bytes for each row and 4 for each
  /// cell. The list's arrays are valid until the next call. \throws InputError for more than
  /// `most_sorted_cells` cells
  template <int D, class T>
  CellList<MemorySpace> sort(
      const CellGrid<D, T>& grid,
      const Kokkos::View<const T* [D], Kokkos::LayoutLeft, MemorySpace>& position) {
    const Count n = position.extent(0), cells = grid.size();
    if (cells > most_sorted_cells)
      throw InputError(std::to_string(cells) + " cells of a grid are more than can be numbered");
    const auto offsets = workspace_.template get<LocalIndex>("grid::offsets", cells + 1);
    const auto cell = workspace_.template get<LocalIndex>("grid::cell", n);
    const auto slot = workspace_.template get<LocalIndex>("grid::slot", n);
    const auto rows = workspace_.template get<LocalIndex>("grid::rows", n);
    Kokkos::deep_copy(space_, offsets, LocalIndex{0});
    const auto range = [&](Count count) { return CountRange<ExecutionSpace>(space_, 0, count); };
    Kokkos::parallel_for(
        "copse::grid::count_in_cells", range(n),
        detail::CountInCells<D, T, MemorySpace>{grid, position, offsets, cell, slot});
    exclusive_scan(space_, Kokkos::subview(offsets, std::pair<Count, Count>(0, cells)), offsets,
                   workspace_);
    Kokkos::parallel_for("copse::grid::place_in_cells", range(n),
                         detail::PlaceInCells<MemorySpace>{offsets, cell, slot, rows});
    Kokkos::parallel_for("copse::grid::sort_cells", range(cells),
                         detail::SortCells<MemorySpace>{offsets, rows});
    return {offsets, rows};
  }

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse
