#pragma once
/// \file
/// The K nearest points of the tree to each query, in a tree bounded by boxes, balls or shells (the
/// nearest-neighbour, k-nearest-neighbour, ball-tree and vantage-point benchmarks of [Liu 2019]
/// section 3.4.1). Ties are broken by row.

#include <copse/traversal/neighbor_heap.hpp>
#include <copse/traversal/neighbor_list.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <cstddef>
#include <type_traits>

namespace copse {

/// `K` is the capacity; the number of neighbours found is the number of columns of `results`, at
/// most K.
template <int K, class Tree>
struct NearestNeighbors {
  static constexpr bool guided = true;
  static constexpr int dim = Tree::dimension;
  using MemorySpace = typename Tree::memory_space;

  Tree tree;
  Points<dim, MemorySpace> queries;
  NeighborLists<MemorySpace> results;
  /// [queries]: the tree row of each query point; empty if the queries are not points of the tree.
  /// A query with a row first searches its own leaf, so it has a pruning bound before it tests the
  /// root: for 1e6 uniform points along a Hilbert curve, packets of 16 visit 134 nodes instead of
  /// 297 (in kd-tree order 105 either way).
  Kokkos::View<const LocalIndex*, MemorySpace> row_of_query{};

  /// Heaps are faster where they have scratch memory and lists are long.
  template <class L>
  static constexpr bool uses_heap = K >= 16 && (K & (K - 1)) == 0 &&
                                    sizeof(Real) == 4 && std::is_same_v<L, PacketLane>;
  template <class L>
  using List = std::conditional_t<uses_heap<L>, NeighborHeap<K>, NeighborList<L, K>>;
  template <class L>
  static constexpr std::size_t packet_bytes = List<L>::packet_bytes;

  template <class L>
  struct State {
    LanePoint<L, dim> x;
    List<L> found;
    typename L::Index own = typename L::Index(0u);  ///< the leaf searched before the root; 0: none
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query,
                                             const PacketId& packet) const {
    State<L> state{lane_point<L, dim>(queries, query), list_of<L>(packet)};
    state.found.clear(static_cast<int>(results.rows.extent(1)));
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const auto least = tree.bounds(node).template min_distance2<L>(state.x);
    return Outcome<L>(active & (least <= state.found.farthest2()));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    const typename L::Mask others = mask & !(state.own == typename L::Index(node));
    insert_leaf<L>(state.found, tree, node, state.x, others);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Index own_leaf(typename L::Index query) const {
    if (row_of_query.data() == nullptr) return typename L::Index(0u);
    return lane_leaves(tree, gather(row_of_query.data(), query));
  }

  // The group walk (walks/packet_box.hpp).
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Real reach2(const State<L>& state) const {
    return packet_max(state.found.farthest2());
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void add_near(State<L>& state,
                                            const NearBatch<L, dim>& points) const {
    insert_batch<L>(state.found, points, state.x);
  }

 private:
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION static List<L> list_of(const PacketId& packet) {
    if constexpr (uses_heap<L>) {
      return List<L>(packet.memory, packet.lane);
    } else {
      return {};
    }
  }
};

}  // namespace copse
