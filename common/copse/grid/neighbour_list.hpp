#pragma once
/// \file
/// The rows within a cutoff of each row of a table, built from a cell list.
///
/// Invariants
///  - Row i has count(i) partners: partner(i, 0), partner(i, 1) and so on. It is not among them. A
///    full list holds a pair at both of its rows, a half list at the lower row.
///  - Partners are in the order of the cells around the row; within a cell, in the order of the
///    cell list. So the list is the same on every backend.
///  - The list is stored in slices of `Slice` rows (sliced ELLPACK): the first partner of each row
///    of a slice, then the second of each row, up to the partners of its longest row. On devices a
///    slice has the rows of a packet, whose lanes read adjacent partners. On hosts a slice is one
///    row, whose partners are contiguous.

#include <copse/backend/packet.hpp>
#include <copse/grid/cell_list.hpp>

#include <algorithm>

namespace copse {

/// Rows in a slice.
template <class MemorySpace>
inline constexpr LocalIndex list_slice = runs_on_host<MemorySpace> ? 1 : packet_width;

template <class MemorySpace, LocalIndex Slice = list_slice<MemorySpace>>
struct NeighbourList {
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> offsets;      ///< [slices + 1]
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> counts;  ///< [n]
  /// [offsets(slices)], which may be put in another order within a row.
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> partners;

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex count(LocalIndex row) const {
    if constexpr (Slice == 1)
      return static_cast<LocalIndex>(offsets(row + 1) - offsets(row));
    else
      return counts(row);
  }

  KOKKOS_FORCEINLINE_FUNCTION LocalIndex& partner(LocalIndex row, LocalIndex k) const {
    return partners(offsets(row / Slice) + Count{k} * Slice + row % Slice);
  }

  /// Calls f(partner) for every partner of a row.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_of(LocalIndex row, const F& f) const {
    const LocalIndex n = count(row);
    KOKKOS_IF_ON_HOST((for (LocalIndex k = 0; k < n; ++k) f(partner(row, k));))
    KOKKOS_IF_ON_DEVICE(
        (LocalIndex next = n > 0 ? partner(row, 0) : row; for (LocalIndex k = 0; k < n; ++k) {
          const LocalIndex now = next;
          if (k + 1 < n) next = partner(row, k + 1);
          f(now);
        }))
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

  /// On hosts: distances of 16 contiguous rows in vectors, then a compaction without branches.
  /// About a quarter of the candidates are partners, so a branch per candidate would often be
  /// mispredicted. Rows at or after `end` in the last block are ignored.
  /// \return the first row not visited; at least `end` if all were
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
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    LocalIndex count = 0;
    within.for_each_of(i, [&](LocalIndex) { ++count; });
    counts(i) = count;
  }
};

/// Places of a slice: its rows times the partners of the longest.
template <class MemorySpace, LocalIndex Slice>
struct CountPlaces {
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> counts;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> places;

  KOKKOS_FUNCTION void operator()(LocalIndex slice) const {
    LocalIndex longest = 0;
    for (Count i = Count{slice} * Slice; i < Count{slice + 1} * Slice && i < counts.extent(0); ++i)
      longest = counts(i) > longest ? counts(i) : longest;
    places(slice) = Count{longest} * Slice;
  }
};

template <int D, class T, class MemorySpace, LocalIndex Slice>
struct WritePartners {
  WithinCutoff<D, T, MemorySpace> within;
  NeighbourList<MemorySpace, Slice> list;

  KOKKOS_FUNCTION void operator()(LocalIndex i) const {
    LocalIndex k = 0;
    within.for_each_of(i, [&](LocalIndex j) { list.partner(i, k++) = j; });
  }
};

}  // namespace detail

/// Builds neighbour lists, keeping its arrays between calls.
template <class ExecutionSpace,
          LocalIndex Slice = list_slice<typename ExecutionSpace::memory_space>>
class NeighbourLister {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit NeighbourLister(const ExecutionSpace& space = {}) : space_(space) {}

  /// O(n times the rows in near cells); waits once for the length of the list. The list's arrays
  /// are valid until the next call. `cells` holds the positions' rows; `period` is used if the grid
  /// is periodic. Pairs at most `cutoff` apart are listed; rounding decides at the cutoff itself.
  /// `position` [n][D], n < 2^32 (a table of exactly 2^32 rows would count as empty); `period` [D]
  /// in units of length. Memory: 4 bytes per partner, or per place of a slice on devices, and 1/16
  /// more; 4 bytes per row and 8 per slice. Searches twice: to count, then to write.
  template <int D, class T>
  NeighbourList<MemorySpace, Slice> build(
      const CellGrid<D, T>& grid, const CellList<MemorySpace>& cells,
      const Kokkos::View<const T* [D], Kokkos::LayoutLeft, MemorySpace>& position, T cutoff,
      ListKind kind, const Kokkos::Array<T, D>& period = {}) {
    const auto n = static_cast<LocalIndex>(position.extent(0));
    const LocalIndex slices = n / Slice + (n % Slice > 0 ? 1 : 0);
    const WithinCutoff<D, T, MemorySpace> within{
        grid, cells, position, period, cutoff * cutoff, grid.cells_within(cutoff), kind};
    const auto counts = workspace_.template get<LocalIndex>("grid::list_counts", n);
    const auto offsets = workspace_.template get<Count>("grid::list_offsets", slices + Count{1});
    const auto range = [&](LocalIndex count) {
      return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<LocalIndex>>(space_, 0, count);
    };
    Kokkos::parallel_for("copse::grid::count_partners", range(n),
                         detail::CountPartners<D, T, MemorySpace>{within, counts});
    Kokkos::parallel_for("copse::grid::count_places", range(slices),
                         detail::CountPlaces<MemorySpace, Slice>{counts, offsets});
    exclusive_scan(space_, Kokkos::subview(offsets, std::pair<Count, Count>(0, slices)), offsets);
    Count places = 0;
    Kokkos::deep_copy(space_, places, Kokkos::subview(offsets, slices));
    space_.fence("copse::grid::count_partners");
    // Some more, so that lists of moving particles seldom need new memory.
    const auto all = workspace_.template get<LocalIndex>("grid::partners", places + places / 16);
    const auto partners = Kokkos::subview(all, std::pair<Count, Count>(0, places));
    const NeighbourList<MemorySpace, Slice> list{offsets, counts, partners};
    Kokkos::parallel_for("copse::grid::write_partners", range(n),
                         detail::WritePartners<D, T, MemorySpace, Slice>{within, list});
    return list;
  }

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse
