#pragma once
/// \file
/// For each query, the nearest particle of another component: the tree search of Boruvka's
/// algorithm. Guided.
///
/// A query prunes nodes that are too far, and nodes whose particles all belong to its own component
/// (nodes of several components are `mixed`). In 6-D nodes are pruned by positions alone, which
/// bound the full distance from below.
///
/// Of particles at the same computed distance the one with the smallest index is the nearest. For
/// query q this matches the order of edges (tree_edge.hpp): among the pairs {q, r}, those with r <
/// q come first, in ascending r, then those with r > q, in ascending r.

#include "../friendship.hpp"
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// The known nearest particle of another component, for each particle of the tree.
template <class MemorySpace>
struct Candidates {
  static constexpr LocalIndex none = ~LocalIndex{0};
  /// Its input index, or `none`: all particles of other components are farther.
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> row;  ///< [n]
  /// Its distance, or the distance searched so far. No particle of another component is nearer.
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> distance2;  ///< [n]
};

/// The component of each particle and of each node of the tree.
template <class MemorySpace>
struct Components {
  static constexpr LocalIndex mixed = ~LocalIndex{0};
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> of_row;   ///< [n]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> of_node;  ///< [node_slots()]
};

/// Query i is particle i of the tree. It starts with its search distance (inclusive) in
/// `candidates.distance2` and stores its candidate.
template <class MemorySpace, bool PhaseSpace>
struct NearestOutsider {
  static constexpr bool guided = true;
  static constexpr LocalIndex none = Candidates<MemorySpace>::none;

  BoxTree<3, MemorySpace> tree;
  Points<3, MemorySpace> velocity;  ///< [n][3] in tree order; unused in 3-D
  Components<MemorySpace> components;
  Candidates<MemorySpace> candidates;
  Friendship friendship;

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    Kokkos::Array<typename L::Real, PhaseSpace ? 3 : 0> v;
    typename L::Index component;
    typename L::Real distance2;  ///< to beat, or to equal with a smaller index
    typename L::Index row;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, 3>(tree.points, query);
    if constexpr (PhaseSpace) {
      state.v = lane_point<L, 3>(velocity, query);
    }
    state.component = gather(components.of_row.data(), query);
    state.distance2 = gather(candidates.distance2.data(), query);
    state.row = typename L::Index(none);
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const typename L::Index theirs(components.of_node(node));
    const typename L::Mask near =
        friendship.template least_distance2<L>(tree.bounds(node), state.x) <= state.distance2;
    return Outcome<L>(active & near & !(theirs == state.component));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_child_first(const State<L>& state,
                                                                 Node node) const {
    const Node first = tree.first_child(node);
    return friendship.template least_distance2<L>(tree.bounds(first), state.x) <=
           friendship.template least_distance2<L>(tree.bounds(first + 1), state.x);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    const Segment rows = tree.rows_of(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      const typename L::Index theirs(components.of_row(row));
      const typename L::Index here(tree.permutation(row));
      const typename L::Mask outside = active & !(theirs == state.component);
      auto d2 =
          friendship.template distance2<L>(state.x, PointAt<3, MemorySpace>{tree.points, row});
      if constexpr (PhaseSpace) {
        d2 = friendship.template with_velocity2<L>(d2, state.v,
                                                   PointAt<3, MemorySpace>{velocity, row});
      }
      const typename L::Mask nearer =
          outside & ((d2 < state.distance2) | ((d2 == state.distance2) & (here < state.row)));
      state.distance2 = select(nearer, d2, state.distance2);
      state.row = select(nearer, here, state.row);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(candidates.row.data(), query, state.row, valid);
    scatter(candidates.distance2.data(), query, state.distance2, valid);
  }
};

}  // namespace copse::fof
