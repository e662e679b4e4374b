#pragma once
/// \file
/// Range query visitor that links what it finds (traversal/visitor.hpp).

#include "near_pairs.hpp"
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

namespace copse::fof {

/// Query q is particle q of the tree; it tests only particles after its own.
template <class MemorySpace, bool Velocities>
struct RangeLinks {
  static constexpr bool guided = false;

  BoxTree<3, MemorySpace> tree;
  TreePoints<MemorySpace> points;
  Friendship rule;
  TreeSets<MemorySpace> sets;

  template <class L>
  struct State {
    typename L::Index row;
    LanePoint<L, 3> x;
    LanePoint<L, 3> v;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index row) const {
    State<L> state;
    state.row = row;
    state.x = lane_point<L, 3>(points.position, row);
    if constexpr (Velocities) state.v = lane_point<L, 3>(points.velocity, row);
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    using Index = typename L::Index;
    const Segment rows = tree.rows_of(node);
    if (rows.size() == 0) return Outcome<L>(false);
    return Outcome<L>(active & (state.row < Index(static_cast<LocalIndex>(rows.end - 1))) &
                      (rule.template least_distance2<L>(tree.bounds(node), state.x) <
                       typename L::Real(rule.reach2)));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    using LaneReal = typename L::Real;
    const Segment rows = tree.rows_of(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      const LaneReal sum =
          points.template pair_distance2<L, Velocities>(rule, state.x, state.v, row);
      const auto other = static_cast<LocalIndex>(row);
      const typename L::Mask found =
          active & (sum < LaneReal(rule.reach2)) & (state.row < typename L::Index(other));
      unite_lanes(sets, state.row, found, other);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index, const State<L>&, typename L::Mask) const {}
};

}  // namespace copse::fof
