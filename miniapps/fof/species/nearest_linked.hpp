#pragma once
/// \file
/// Visitor that finds the nearest linked particle for each of the other particles
/// (traversal/visitor.hpp). Guided.
///
/// Distances are those of `Friendship` in space, without velocities. Of particles at the same
/// computed distance the one with the smallest index is the nearest.

#include "../friendship.hpp"
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Marks a particle with no linked particle within reach.
inline constexpr LocalIndex nobody_near = ~LocalIndex{0};

/// Query q is particle q of `others`; `nearest(q)` becomes the index of the linked particle, in the
/// order from which the tree was built.
template <class MemorySpace>
struct NearestLinked {
  static constexpr bool guided = true;

  BoxTree<3, MemorySpace> tree;  ///< of the linked particles
  Points<3, MemorySpace> others;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> nearest;
  Friendship rule;
  Real farthest2;  ///< the largest squared distance accepted

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    Nearest<L> found;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, 3>(others, query),
            {typename L::Real(farthest2), typename L::Index(nobody_near)}};
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const auto least = rule.template least_distance2<L>(tree.bounds(node), state.x);
    return Outcome<L>(active & (least <= state.found.distance2));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask first_child_first(const State<L>& state,
                                                                 Node node) const {
    return rule.template first_child_first<L>(tree, node, state.x);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    const Segment rows = tree.rows_of(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      const auto d2 =
          rule.template distance2<L>(state.x, PointAt<3, MemorySpace>{tree.points, row});
      state.found.keep(d2, typename L::Index(tree.permutation(row)), active);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(nearest.data(), query, state.found.row, valid);
  }
};

}  // namespace copse::fof
