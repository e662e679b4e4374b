#pragma once
/// \file
/// The K nearest points found so far by the queries of a packet: a sorted list in registers, and
/// the insertion of a leaf or a batch of points.
///
/// Points at equal computed distance are ordered by row, so the list does not depend on the order
/// of insertion.
///
/// Where lanes are threads, insertion takes two passes over up to 32 points: the first collects a
/// mask of candidates, the second inserts them. Each query inserts few points, but among 32 queries
/// nearly every point is inserted by at least one. Inserting immediately would stall the whole warp
/// at each of them; the second pass takes only as many iterations as the query with most
/// candidates.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/traversal/neighbor_heap.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse {

template <class L, int K>
struct NeighborList;

/// The neighbours of each query: `rows(q, j)` is the tree row of the j-th nearest point and
/// `distance2(q, j)` its squared distance; `no_neighbor` and infinity if the tree has fewer points.
/// The neighbours of a query are adjacent, because queries are rarely written in the order of their
/// numbers: eight of them in columns would be written to eight sectors of memory instead of one.
/// Both arrays begin at a multiple of 16 bytes, as those that Kokkos allocates do.
template <class MemorySpace>
struct NeighborLists {
  static constexpr LocalIndex no_neighbor = ~LocalIndex{0};
  Kokkos::View<LocalIndex**, Kokkos::LayoutRight, MemorySpace> rows;  ///< [queries][k]
  Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace> distance2;   ///< [queries][k]

  /// As `Results` of a visitor (visitor.hpp). `clear` of the list got the number of columns, k: its
  /// last k entries are the columns, nearest first.
  template <class L, int K>
  KOKKOS_FORCEINLINE_FUNCTION void load(typename L::Index query, NeighborList<L, K>& found) const {
    for_each_column<K>([&](int j, int column) {
      if constexpr (L::width == 1) {
        found.row[j] = rows(query, column);
        found.distance2[j] = distance2(query, column);
      } else {
        found.row[j] = L::Index::of([&](int lane) { return rows(query[lane], column); });
        found.distance2[j] = L::Real::of([&](int lane) { return distance2(query[lane], column); });
      }
    });
  }
  template <class L, int K>
  KOKKOS_FORCEINLINE_FUNCTION void store(typename L::Index query, const NeighborList<L, K>& found,
                                         typename L::Mask valid) const {
    if constexpr (L::width == 1) {
      if (!valid) return;
      if (store_whole(query, found)) return;
      for_each_column<K>([&](int j, int column) {
        rows(query, column) = found.row[j];
        distance2(query, column) = found.distance2[j];
      });
    } else {
      for (std::uint32_t bits = valid.bits(); bits != 0; bits = without_lowest(bits)) {
        const int lane = lowest_lane(bits);
        for_each_column<K>([&](int j, int column) {
          rows(query[lane], column) = found.row[j][lane];
          distance2(query[lane], column) = found.distance2[j][lane];
        });
      }
    }
  }

  /// The same for heaps.
  template <class L, int K>
  KOKKOS_FORCEINLINE_FUNCTION void load(LocalIndex query, NeighborHeap<K>& found) const {
    found.assign(static_cast<int>(rows.extent(1)), [&](int column) {
      return Neighbor{distance2(query, column), rows(query, column)};
    });
  }
  template <class L, int K>
  KOKKOS_FORCEINLINE_FUNCTION void store(LocalIndex query, NeighborHeap<K> found,
                                         bool valid) const {
    if (!valid) return;
    if (columns_are<K>()) {
      for (int j = K - 4; j >= 0; j -= 4) {
        Four<LocalIndex> row;
        Four<Real> d2;
        COPSE_UNROLL
        for (int i = 3; i >= 0; --i) {
          const Neighbor neighbor = found.take_farthest();
          row.v[i] = neighbor.row;
          d2.v[i] = neighbor.distance2;
        }
        four(rows, query, j) = row;
        four(distance2, query, j) = d2;
      }
    } else {
      for (int column = static_cast<int>(rows.extent(1)) - 1; column >= 0; --column) {
        const Neighbor neighbor = found.take_farthest();
        rows(query, column) = neighbor.row;
        distance2(query, column) = neighbor.distance2;
      }
    }
  }

 private:
  /// Are there K columns, to be stored four at a time?
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION bool columns_are() const {
    constexpr auto k = static_cast<std::size_t>(K);
    return K % 4 == 0 && sizeof(Real) == 4 && rows.extent(1) == k && rows.stride(0) == k &&
           distance2.stride(0) == k;
  }
  template <class T, class... Properties>
  KOKKOS_FORCEINLINE_FUNCTION static Four<T>& four(const Kokkos::View<T**, Properties...>& columns,
                                                   LocalIndex query, int first) {
    return *reinterpret_cast<Four<T>*>(&columns(query, first));
  }

  /// Stores a list of all its entries, four at a time. \returns false if that is impossible
  template <class L, int K>
  KOKKOS_FORCEINLINE_FUNCTION bool store_whole(LocalIndex query,
                                               const NeighborList<L, K>& found) const {
    if (!columns_are<K>()) return false;
    COPSE_UNROLL
    for (int j = 0; j + 3 < K; j += 4) {
      four(rows, query, j) = {found.row[j], found.row[j + 1], found.row[j + 2], found.row[j + 3]};
      four(distance2, query, j) = {found.distance2[j], found.distance2[j + 1],
                                   found.distance2[j + 2], found.distance2[j + 3]};
    }
    return true;
  }

  /// Calls `use(j, column)` for the entries of a list with this capacity that have a column.
  template <int Capacity, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_column(const Use& use) const {
    const int wanted = static_cast<int>(rows.extent(1));
    COPSE_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      const int column = j - (Capacity - wanted);
      if (column >= 0) use(j, column);
    }
  }
};

/// A list with capacity K, nearest first. If only k < K neighbours are wanted, the first K - k
/// entries hold sentinels at distance -1, so the last entry is always the pruning bound.
template <class L, int K>
struct NeighborList {
  using LaneReal = typename L::Real;
  using Index = typename L::Index;
  using Mask = typename L::Mask;
  static constexpr std::size_t packet_bytes = 0;  ///< of scratch memory, see visitor.hpp

  Kokkos::Array<LaneReal, K> distance2;
  Kokkos::Array<Index, K> row;

  /// Empties the list and sets the number of neighbours to `wanted`.
  KOKKOS_FORCEINLINE_FUNCTION void clear(int wanted) {
    COPSE_UNROLL
    for (int j = 0; j < K; ++j) {
      distance2[j] = j < K - wanted ? Real(-1) : Kokkos::Experimental::infinity_v<Real>;
      row[j] = ~LocalIndex{0};
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION const LaneReal& farthest2() const { return distance2[K - 1]; }

  /// Inserts a point in the lanes of `mask` where it is closer than the last entry, which drops
  /// out.
  KOKKOS_FORCEINLINE_FUNCTION void insert_if_near(const LaneReal& d2, const Index& here,
                                                  Mask mask) {
    const Mask found = mask & before(d2, here, K - 1);
    if (any(found)) insert(d2, here, found);
  }

  /// `found`: the lanes where the point is nearer than the last entry; single queries test that
  /// here.
  KOKKOS_FORCEINLINE_FUNCTION void insert(LaneReal d2, Index here, Mask found = true) {
    if constexpr (L::width == 1) {
      COPSE_UNROLL
      for (int j = 0; j < K; ++j) {
        const Mask swap = found & before(d2, here, j);
        const auto old_d2 = distance2[j];
        const auto old_row = row[j];
        distance2[j] = select(swap, d2, old_d2);
        row[j] = select(swap, here, old_row);
        d2 = select(swap, old_d2, d2);
        here = select(swap, old_row, here);
      }
    } else {
      // Every step compares with the new point alone, so steps do not wait for each other.
      Mask shifts = found;
      for (int j = K - 1; j > 0; --j) {
        const Mask next = found & before(d2, here, j - 1);
        distance2[j] = select(next, distance2[j - 1], select(shifts, d2, distance2[j]));
        row[j] = select(next, row[j - 1], select(shifts, here, row[j]));
        shifts = next;
      }
      distance2[0] = select(shifts, d2, distance2[0]);
      row[0] = select(shifts, here, row[0]);
    }
  }

 private:
  /// Is the point nearer than the j-th neighbour?
  KOKKOS_FORCEINLINE_FUNCTION Mask before(const LaneReal& d2, const Index& here, int j) const {
    if constexpr (L::width == 1 && sizeof(Real) == 4) {
      return ordered_neighbor(d2, here) < ordered_neighbor(distance2[j], row[j]);
    } else {
      return (d2 < distance2[j]) | ((d2 == distance2[j]) & (here < row[j]));
    }
  }
};

/// Inserts the points of a leaf in the lanes of `mask`. `list` is a NeighborList or a NeighborHeap.
template <class L, class List, class Tree>
KOKKOS_FORCEINLINE_FUNCTION void insert_leaf(List& list, const Tree& tree, Node leaf,
                                             const LanePoint<L, Tree::dimension>& x,
                                             typename L::Mask mask) {
  if constexpr (L::width == 1) {
    constexpr Count at_once = 32;
    const LeafSpan rows = tree.rows_of_leaf(leaf);
    const Count end = Count{rows.begin} + rows.size;
    const auto distance2 = [&](Count row) {
      return squared_distance<L, Tree::dimension>(
          x, PointAt<Tree::dimension, typename Tree::memory_space>{tree.points, row});
    };
    for (Count first = rows.begin; first < end; first += at_once) {
      const int size = static_cast<int>(end - first < at_once ? end - first : at_once);
      const Real worst = mask ? list.farthest2() : Real(-2);
      std::uint32_t near = 0;
      for (int i = 0; i < size; ++i)
        near |= distance2(first + static_cast<Count>(i)) <= worst ? 1u << i : 0u;
      for (; near != 0; near = without_lowest(near)) {
        const Count row = first + static_cast<Count>(lowest_lane(near));
        list.insert(distance2(row), static_cast<LocalIndex>(row));
      }
    }
  } else {
    const typename L::Real none(Real(-2));
    typename L::Real worst = select(mask, list.farthest2(), none);
    for_each_distance2<L>(tree, leaf, x, [&](LocalIndex row, const typename L::Real& d2) {
      if (!any(d2 <= worst)) return;
      list.insert_if_near(d2, typename L::Index(row), mask);
      worst = select(mask, list.farthest2(), none);
    });
  }
}

/// Inserts a batch of points near the packet, as insert_leaf.
template <class L, class List, int Dim>
KOKKOS_FORCEINLINE_FUNCTION void insert_batch(List& list, const NearBatch<L, Dim>& points,
                                              const std::type_identity_t<LanePoint<L, Dim>>& x) {
  if constexpr (L::width == 1) {
    std::uint32_t near = 0;
    points.for_each_distance2(
        x, [&](int i, Real d2) { near |= d2 <= list.farthest2() ? 1u << i : 0u; });
    for (; near != 0; near = without_lowest(near)) {
      const int i = lowest_lane(near);
      const Real d2 = squared_distance<L, Dim>(x, ArrayPoint<Dim>{points.point(i)});
      list.insert(d2, points.row(i));
    }
  } else {
    points.for_each_distance2(x, [&](int i, const typename L::Real& d2) {
      list.insert_if_near(d2, typename L::Index(points.row(i)), true);
    });
  }
}

}  // namespace copse
