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

  /// The same differences as for points: rounding keeps their order, so no tolerance is needed.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    using LaneReal = typename L::Real;
    const LaneReal reach(half);
    const auto& box = tree.bounds(node);
    typename L::Mask touched = active, inside = active;
    for (int a = 0; a < Dim; ++a) {
      const LaneReal lower(box.lower[a]), upper(box.upper[a]);
      touched = touched & (lane_max(lower - state.x[a], state.x[a] - upper) <= reach);
      inside = inside & (lane_max(state.x[a] - lower, upper - state.x[a]) <= reach);
    }
    inside = inside & touched;
    return Outcome<L>(touched & !inside, inside);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    add_where(mask, state.found, static_cast<std::uint32_t>(tree.rows_of(node).size()));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    using LaneReal = typename L::Real;
    const LaneReal reach(half);
    const LeafSpan rows = tree.rows_of_leaf(node);
    for (LocalIndex row = rows.begin; row < rows.begin + rows.size; ++row) {
      typename L::Mask inside = mask;
      for (int a = 0; a < Dim; ++a) {
        const LaneReal point(tree.points(row, a));
        inside = inside & (lane_max(point - state.x[a], state.x[a] - point) <= reach);
      }
      add_where(inside, state.found, 1);
    }
  }
};
// [end lab]

}  // namespace copse::labs
