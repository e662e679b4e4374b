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

#include "tree_points.hpp"
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
  TreePoints<MemorySpace> points;
  Components<MemorySpace> components;
  Candidates<MemorySpace> candidates;
  Friendship friendship;

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    LanePoint<L, 3> v;  ///< only with PhaseSpace
    typename L::Index component;
    Nearest<L> found;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, 3>(points.position, query);
    if constexpr (PhaseSpace) state.v = lane_point<L, 3>(points.velocity, query);
    state.component = gather(components.of_row.data(), query);
    state.found = {gather(candidates.distance2.data(), query), typename L::Index(none)};
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const typename L::Index theirs(components.of_node(node));
    const auto least = friendship.template least_distance2<L>(tree.bounds(node), state.x);
    return Outcome<L>(active & (least <= state.found.distance2) & !(theirs == state.component));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_child_first(const State<L>& state,
                                                                 Node node) const {
    return friendship.template first_child_first<L>(tree, node, state.x);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    const Segment rows = tree.rows_of(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      const typename L::Index theirs(components.of_row(row));
      const auto d2 =
          points.template pair_distance2<L, PhaseSpace>(friendship, state.x, state.v, row);
      state.found.keep(d2, typename L::Index(tree.permutation(row)),
                       active & !(theirs == state.component));
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(candidates.row.data(), query, state.found.row, valid);
    scatter(candidates.distance2.data(), query, state.found.distance2, valid);
  }
};

}  // namespace copse::fof
