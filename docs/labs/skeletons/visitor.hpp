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
  Kokkos::View<std::uint32_t*, MemorySpace> counts;  ///< [queries]
  Real half;

  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    typename L::Index count;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, Dim>(queries, query), typename L::Index(0)};
  }

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

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(counts.data(), query, state.count, valid);
  }
};
// [end lab]

}  // namespace copse::labs
