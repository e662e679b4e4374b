#pragma once
/// \file
/// The nearest particle of another component to each query: the search of Boruvka's algorithm in a
/// tree. Guided.
///
/// Beside nodes that are too far, a query skips nodes whose particles are all of its own component
/// (`mixed` marks the others). In 6-D nodes are judged by positions, which bound the whole distance
/// from below.
///
/// Of particles at the same computed distance the one with the smallest row is the nearest. For a
/// query of row q that is the order of edges (tree_edge.hpp): of the pairs {q, r} with r in
/// ascending order, those with r < q come first, by r, and then those with r > q, by r.

#include "../friendship.hpp"
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// What is known of the nearest particle of another component, for each row of the tree.
template <class MemorySpace>
struct Candidates {
  static constexpr LocalIndex none = ~LocalIndex{0};
  /// Its row in the input, or `none`: all particles of other components are farther.
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> row;  ///< [n]
  /// Its distance, or how far was searched. Nothing of another component is nearer.
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> distance2;  ///< [n]
};

/// Which component each row of the tree belongs to, and each node.
template <class MemorySpace>
struct Components {
  static constexpr LocalIndex mixed = ~LocalIndex{0};
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> of_row;   ///< [n]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> of_node;  ///< [node_slots()]
};

/// Queries are rows of the tree. Each begins with the distance to search in
/// `candidates.distance2`, that distance included, and leaves its candidate.
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
    typename L::Real distance2;  ///< to beat, or to equal with a smaller row
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
