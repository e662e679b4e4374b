#pragma once
/// \file
/// The K nearest points of the tree to each query, in a tree bounded by boxes, balls or shells (the
/// paper's nearest-neighbour, k-nearest-neighbour, ball-tree and vantage-point benchmarks, seed 004
/// section 3.4.1). Guided.
///
/// Of points at the same computed distance, the first in tree order is the nearer one, so that the
/// answer does not depend on the order in which leaves are searched.

#include <copse/backend/unroll.hpp>
#include <copse/traversal/near_rows.hpp>
#include <copse/traversal/packet_lanes.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Where the neighbours of each query go: `rows(q, j)` is the j-th nearest point, as a row of the
/// tree, and `distance2(q, j)` its squared distance; `no_neighbor` and infinity if the tree has not
/// so many points.
template <class MemorySpace>
struct NeighborLists {
  static constexpr LocalIndex no_neighbor = ~LocalIndex{0};
  Kokkos::View<LocalIndex**, Kokkos::LayoutLeft, MemorySpace> rows;  ///< [queries][k]
  Kokkos::View<Real**, Kokkos::LayoutLeft, MemorySpace> distance2;   ///< [queries][k]
};

/// `K` is the room for neighbours; as many are found as `lists` has columns, at most K.
template <int K, class Tree>
struct NearestNeighbors {
  static constexpr bool guided = true;
  static constexpr int dim = Tree::dimension;
  using MemorySpace = typename Tree::memory_space;

  Tree tree;
  Points<dim, MemorySpace> queries;
  NeighborLists<MemorySpace> lists;
  /// [queries]: the row of the tree that a query is, or empty if they are others. A point begins
  /// with its own leaf and knows how far its neighbours are at most before it sees the root; where
  /// boxes overlap, as along a curve, the way down from the root is a bad guess. (Packets of 16 of
  /// 1e6 uniform points visit 297 nodes along a Hilbert curve from the root, 134 from their leaf;
  /// of a kd-tree 105 either way.)
  Kokkos::View<const LocalIndex*, MemorySpace> row_of_query{};

  /// Neighbours found so far, nearest first. If fewer than K are wanted, the first K - k places
  /// hold "neighbours" nearer than any point, so that the last place is always the one to beat.
  template <class L>
  struct State {
    LanePoint<L, dim> x;
    Kokkos::Array<typename L::Real, K> distance2;
    Kokkos::Array<typename L::Index, K> row;
    typename L::Index own{};  ///< the leaf that is done with; 0: none
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state = start_from_root<L>(query);
    if (row_of_query.data() != nullptr) begin_with_own_leaf<L>(state, query);
    return state;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start_from_root(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, dim>(queries, query);
    const int unused = K - static_cast<int>(lists.rows.extent(1));
    COPSE_UNROLL
    for (int j = 0; j < K; ++j) {
      state.distance2[j] = j < unused ? Real(-1) : Kokkos::Experimental::infinity_v<Real>;
      state.row[j] = NeighborLists<MemorySpace>::no_neighbor;
    }
    state.own = typename L::Index(0u);
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask open(State<L>& state, Node node,
                                                    typename L::Mask active) const {
    return active &
           (tree.bounds(node).template min_distance2<L>(state.x) <= state.distance2[K - 1]);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_child_first(const State<L>& state,
                                                                 Node node) const {
    const Node first = tree.first_child(node);
    return first_is_nearer<L>(tree.bounds(first), tree.bounds(first + 1), state.x);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    active = active & !(state.own == typename L::Index(node));
    const Segment rows = tree.rows_of_leaf(node);
    if constexpr (L::width == 1) {
      sift(state, rows, active);
    } else {
      for (Count row = rows.begin; row < rows.end; ++row) {
        const auto d2 = distance2_to<L>(state, row);
        const typename L::Index here(static_cast<std::uint32_t>(row));
        const typename L::Mask found = active & before<L>(d2, here, state, K - 1);
        if (any(found)) insert<L>(state, d2, here, found);
      }
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    const int k = static_cast<int>(lists.rows.extent(1));
    COPSE_UNROLL
    for (int j = 0; j < K; ++j) {
      const int place = j - (K - k);
      if (place < 0) continue;
      scatter(lists.rows.data() + lists.rows.stride(1) * place, query, state.row[j], valid);
      scatter(lists.distance2.data() + lists.distance2.stride(1) * place, query, state.distance2[j],
              valid);
    }
  }

  /// For packets that walk as one box (walks/boxed_group.hpp).
  static constexpr bool counts_wholes = false;

  /// The leaf that each query lies in, 0 if that is not known.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Index own_leaf(typename L::Index query) const {
    typename L::Index own(0u);
    if (row_of_query.data() == nullptr) return own;
    if constexpr (L::width == 1) {
      own = leaf_of(row_of_query(query));
    } else {
      for (int l = 0; l < L::width; ++l) own.set(l, leaf_of(row_of_query(query[l])));
    }
    return own;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Real reach2(const State<L>& state) const {
    return packet_max(state.distance2[K - 1]);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void meet(State<L>& state, const NearBatch<L, dim>& points) const {
    if constexpr (L::width == 1) {
      // In two passes, as in `sift`.
      std::uint32_t near = 0;
      points.for_each_distance2(
          state.x, [&](int i, Real d2) { near |= d2 <= state.distance2[K - 1] ? 1u << i : 0u; });
      for (; near != 0; near = without_lowest(near)) {
        const int i = lowest_lane(near);
        const Real d2 = squared_distance<L, dim>(state.x, ArrayPoint<dim>{points.point(i)});
        insert<L>(state, d2, points.row(i), true);
      }
    } else {
      points.for_each_distance2(state.x, [&](int i, const typename L::Real& d2) {
        const typename L::Index here(points.row(i));
        const typename L::Mask found = before<L>(d2, here, state, K - 1);
        if (any(found)) insert<L>(state, d2, here, found);
      });
    }
  }

 private:
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real distance2_to(const State<L>& state,
                                                            Count row) const {
    return squared_distance<L, dim>(state.x, PointAt<dim, MemorySpace>{tree.points, row});
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void begin_with_own_leaf(State<L>& state,
                                                       typename L::Index query) const {
    if constexpr (L::width == 1) {
      const Node own = leaf_of(row_of_query(query));
      sift(state, tree.rows_of_leaf(own), true);
      state.own = own;
    } else {
      // One leaf for all lanes that share it, as they do if they come in the order of the tree.
      const typename L::Index leaves = own_leaf<L>(query);
      const Node own = leaves[0];
      const typename L::Mask here = leaves == typename L::Index(own);
      leaf<L>(state, own, here);
      state.own = select(here, leaves, state.own);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Node leaf_of(LocalIndex row) const {
    return tree.leaf_slots() + row / tree.bucket_size;
  }

  /// The rows of a leaf meet one query, in two passes: which are near enough to be looked at, and
  /// then those. Each query has few, but of 32 that go together nearly always one has: if each
  /// point went into the list when it is found, all would wait for it, point after point. The
  /// second pass is as long as the longest list of one of them.
  KOKKOS_FORCEINLINE_FUNCTION void sift(State<OneLane>& state, const Segment& rows,
                                        bool active) const {
    constexpr Count at_once = 32;
    for (Count first = rows.begin; first < rows.end; first += at_once) {
      const int size = static_cast<int>(rows.end - first < at_once ? rows.end - first : at_once);
      const Real worst = active ? state.distance2[K - 1] : Real(-2);
      std::uint32_t near = 0;
      for (int i = 0; i < size; ++i) {
        const Real d2 = distance2_to<OneLane>(state, first + static_cast<Count>(i));
        near |= d2 <= worst ? 1u << i : 0u;
      }
      for (; near != 0; near = without_lowest(near)) {
        const Count row = first + static_cast<Count>(lowest_lane(near));
        const Real d2 = distance2_to<OneLane>(state, row);
        const auto here = static_cast<std::uint32_t>(row);
        insert<OneLane>(state, d2, here, true);
      }
    }
  }

  /// Squared distance and row as one number, which a GPU compares in two instructions instead of
  /// three. No number of ours is -0.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t ordered(float d2, std::uint32_t row) {
    return static_cast<std::int64_t>(Kokkos::bit_cast<std::int32_t>(d2)) << 32 | row;
  }

  /// Does a point come before the j-th neighbour?
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION static typename L::Mask before(const typename L::Real& d2,
                                                             const typename L::Index& row,
                                                             const State<L>& state, int j) {
    if constexpr (L::width == 1 && sizeof(Real) == 4) {
      return ordered(d2, row) < ordered(state.distance2[j], state.row[j]);
    } else {
      return (d2 < state.distance2[j]) | ((d2 == state.distance2[j]) & (row < state.row[j]));
    }
  }

  /// Puts a point into the lists of the lanes in `found`; the last neighbour drops out.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION static void insert(State<L>& state, typename L::Real d2,
                                                 typename L::Index row, typename L::Mask found) {
    COPSE_UNROLL
    for (int j = 0; j < K; ++j) {
      const typename L::Mask swap = found & before<L>(d2, row, state, j);
      const auto old_d2 = state.distance2[j];
      const auto old_row = state.row[j];
      state.distance2[j] = select(swap, d2, old_d2);
      state.row[j] = select(swap, row, old_row);
      d2 = select(swap, old_d2, d2);
      row = select(swap, old_row, row);
    }
  }
};

}  // namespace copse
