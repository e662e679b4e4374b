#pragma once
/// \file
/// The rows within a cutoff of each row of a table, built from a cell list.
///
/// Invariants
///  - The partners of row i are partners(offsets(i)) to partners(offsets(i + 1) - 1), and i is not
///    among them. A full list holds a pair at both of its rows, a half list at the lower row.
///  - Partners are in the order of the cells around the row; within a cell, in the order of the
///    cell list. So the list is the same on every backend.

#include <copse/grid/cell_list.hpp>

#include <algorithm>

namespace copse {

template <class MemorySpace>
struct NeighbourList {
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> offsets;  ///< [n + 1]
  /// [offsets(n)], which may be put in another order within a row.
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> partners;

  /// Calls f(partner) for every partner of a row.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_of(LocalIndex row, const F& f) const {
    const Count end = offsets(row + 1);
    for (Count k = offsets(row); k < end; ++k) f(partners(k));
  }
};

enum class ListKind : std::uint8_t { full, half };

/// Which pairs are in a list. Distances are those of nearest images if the grid is periodic, which
/// needs periods of at least twice the cutoff.
template <int D, class T, class MemorySpace>
struct WithinCutoff {
  CellGrid<D, T> grid;
  CellList<MemorySpace> cells;
  Kokkos::View<const T* [D], Kokkos::LayoutLeft, MemorySpace> position;
  Kokkos::Array<T, D> period;
  T cutoff2;
  std::uint32_t reach;  ///< in cells
  ListKind kind;

  /// Calls f(j) for every partner of row i.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_of(LocalIndex i, const F& f) const {
    Kokkos::Array<T, D> x;
    for (int a = 0; a < D; ++a) x[a] = position(i, a);
    grid.for_each_near_range(grid.coordinates(x), reach, [&](Count first, Count last) {
      LocalIndex k = cells.offsets(first);
      const LocalIndex end = cells.offsets(last + 1);
      KOKKOS_IF_ON_HOST((k = visit_blocks(i, x, k, end, f);))
      for (; k < end; ++k) {
        const LocalIndex j = cells.row(k);
        T distance2 = 0;
        for (int a = 0; a < D; ++a) distance2 += square(position(j, a), x[a], period[a]);
        if (distance2 <= cutoff2 && is_listed(i, j)) f(j);
      }
    });
  }

 private:
  static constexpr LocalIndex block = 16;

  KOKKOS_FORCEINLINE_FUNCTION bool is_listed(LocalIndex i, LocalIndex j) const {
    return kind == ListKind::half ? j > i : j != i;
  }
  KOKKOS_FORCEINLINE_FUNCTION T square(T from, T to, T side) const {
    T d = from - to;
    d = d < 0 ? -d : d;
    if (grid.periodic) d = side - d < d ? side - d : d;
    return d * d;
  }

  /// Hosts test contiguous rows in blocks: distances in vectors, then a compaction without
  /// branches, since no predictor knows which quarter of the candidates are partners. Rows after
  /// `end` are computed with the last block and ignored. \return the first row that is left, at
  /// least `end` if there is none
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION LocalIndex visit_blocks(LocalIndex i, const Kokkos::Array<T, D>& x,
                                                      LocalIndex k, LocalIndex end,
                                                      const F& f) const {
    if (cells.rows.extent(0) > 0) return k;
    const auto rows = static_cast<LocalIndex>(position.extent(0));
    for (; k < end && k + block <= rows; k += block) {
      T distance2[block] = {};
      for (int a = 0; a < D; ++a) {
        const T* const column = &position(k, a);
        const T here = x[a], side = period[a];
        for (LocalIndex l = 0; l < block; ++l) distance2[l] += square(column[l], here, side);
      }
      LocalIndex found[block], count = 0;
      const LocalIndex left = end - k < block ? end - k : block;
      for (LocalIndex l = 0; l < left; ++l) {
        found[count] = k + l;
        count += distance2[l] <= cutoff2 ? 1 : 0;
      }
      for (LocalIndex l = 0; l < count; ++l)
        if (is_listed(i, found[l])) f(found[l]);
    }
    return k;
  }
};

namespace detail {

template <int D, class T, class MemorySpace>
struct CountPartners {
  WithinCutoff<D, T, MemorySpace> within;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    Count count = 0;
    within.for_each_of(i, [&](LocalIndex) { ++count; });
    counts(i) = count;
  }
};

template <int D, class T, class MemorySpace>
struct WritePartners {
  WithinCutoff<D, T, MemorySpace> within;
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> offsets;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> partners;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    Count to = offsets(i);
    within.for_each_of(i, [&](LocalIndex j) { partners(to++) = j; });
  }
};

}  // namespace detail

/// Builds neighbour lists, keeping its arrays between calls.
template <class ExecutionSpace>
class NeighbourLister {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit NeighbourLister(const ExecutionSpace& space = {}) : space_(space) {}

  /// O(n times the rows in near cells); waits once for the number of pairs. The list's arrays are
  /// valid until the next call. `cells` holds the positions' rows; `period` is used if the grid is
  /// periodic. Pairs at most `cutoff` apart are listed; rounding decides at the cutoff itself.
  template <int D, class T>
  NeighbourList<MemorySpace> build(
      const CellGrid<D, T>& grid, const CellList<MemorySpace>& cells,
      const Kokkos::View<const T* [D], Kokkos::LayoutLeft, MemorySpace>& position, T cutoff,
      ListKind kind, const Kokkos::Array<T, D>& period = {}) {
    const auto n = static_cast<LocalIndex>(position.extent(0));
    const WithinCutoff<D, T, MemorySpace> within{
        grid, cells, position, period, cutoff * cutoff, grid.cells_within(cutoff), kind};
    const auto offsets = workspace_.template get<Count>("grid::list_offsets", n + Count{1});
    const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>> rows(space_, 0, n);
    Kokkos::parallel_for("copse::grid::count_partners", rows,
                         detail::CountPartners<D, T, MemorySpace>{within, offsets});
    exclusive_scan(space_, Kokkos::subview(offsets, std::pair<Count, Count>(0, n)), offsets);
    Count pairs = 0;
    Kokkos::deep_copy(space_, pairs, Kokkos::subview(offsets, n));
    space_.fence("copse::grid::count_partners");
    // Some more, so that lists of moving particles seldom need new memory.
    const auto all = workspace_.template get<LocalIndex>("grid::partners", pairs + pairs / 16);
    const auto partners = Kokkos::subview(all, std::pair<Count, Count>(0, pairs));
    Kokkos::parallel_for("copse::grid::write_partners", rows,
                         detail::WritePartners<D, T, MemorySpace>{within, offsets, partners});
    return {offsets, partners};
  }

  /// Bytes held.
  Count bytes() const { return workspace_.bytes(); }

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse
