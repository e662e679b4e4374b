#pragma once
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

namespace copse::labs {

// [begin lab]
/// Counts the points in a cube around each query: those that differ from it by at most `half` along
/// every axis.
template <int Dim, class MemorySpace>
struct WindowCount {
  static constexpr bool guided = false;

  BoxTree<Dim, MemorySpace> tree;
  Points<Dim, MemorySpace> queries;
  CountResults<MemorySpace> results;
  Real half;

  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    typename L::Index found = typename L::Index(0u);
  };

  /// Skips boxes apart from the window, accepts boxes within it, opens the others.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>&, Node, typename L::Mask) const {
    return Outcome<L>(false);
  }

  /// Adds all points of the node in the lanes of `mask`.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>&, Node, typename L::Mask) const {}

  /// Adds the points of the leaf that are in the window, in the lanes of `mask`.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>&, Node, typename L::Mask) const {}
};
// [end lab]

}  // namespace copse::labs
