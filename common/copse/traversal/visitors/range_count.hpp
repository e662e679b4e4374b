#pragma once
/// \file
/// Point correlation: how many points of the tree lie within a radius of each query (seed 004
/// section 3.4.1, figs. 3.1 and 3.3). Unguided.
///
/// A node wholly within the radius is counted without being opened, which the paper's kernel does
/// not do; where a query has hundreds of neighbours, most are counted that way.

#include <copse/traversal/near_rows.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

template <int Dim, class MemorySpace>
struct RangeCount {
  static constexpr bool guided = false;

  BoxTree<Dim, MemorySpace> tree;
  Points<Dim, MemorySpace> queries;
  Kokkos::View<std::uint32_t*, MemorySpace> counts;  ///< [queries]
  Real radius2;  ///< squared; points at exactly this computed distance count

  // [begin state]
  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    typename L::Index count;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, Dim>(queries, query), typename L::Index(0)};
  }
  // [end state]

  // [begin open]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask open(State<L>& state, Node node,
                                                    typename L::Mask active) const {
    using Index = typename L::Index;
    const typename L::Real within(radius2);
    const auto& box = tree.bounds(node);
    const typename L::Mask touched = active & (box.template min_distance2<L>(state.x) <= within);
    if (!any(touched)) return touched;
    const typename L::Mask inside = touched & (box.template max_distance2<L>(state.x) <= within);
    if (!any(inside)) return touched;
    const Index rows(static_cast<std::uint32_t>(tree.rows_of(node).size()));
    state.count = select(inside, state.count + rows, state.count);
    return touched & !inside;
  }
  // [end open]

  // [begin leaf]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    using Index = typename L::Index;
    const typename L::Real within(radius2);
    const Segment rows = tree.rows_of_leaf(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      const typename L::Mask near =
          active & (squared_distance<L, Dim>(
                        state.x, PointAt<Dim, MemorySpace>{tree.points, row}) <= within);
      state.count = select(near, state.count + Index(1), state.count);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(counts.data(), query, state.count, valid);
  }
  // [end leaf]

  /// For packets that walk as one box (walks/boxed_group.hpp).
  // [begin group]
  static constexpr bool counts_wholes = true;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Real reach2(const State<L>&) const {
    return radius2;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void whole(State<L>& state, std::uint32_t rows) const {
    state.count += typename L::Index(rows);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void meet(State<L>& state, const NearBatch<L, Dim>& points) const {
    if constexpr (L::width == 1 && sizeof(Real) == 4) {
      // Numbers that are not negative are ordered as their bits are, and a GPU adds a sign bit in
      // one instruction, where a choice between a number and its successor takes two.
      const auto most = Kokkos::bit_cast<std::int32_t>(radius2);
      std::uint32_t beyond = 0;
      points.for_each_distance2(state.x, [&](int, Real d2) {
        beyond += static_cast<std::uint32_t>(most - Kokkos::bit_cast<std::int32_t>(d2)) >> 31;
      });
      state.count += points.size - beyond;
    } else {
      points.for_each_distance2(state.x, [&](int, const typename L::Real& d2) {
        const typename L::Mask near = d2 <= typename L::Real(radius2);
        state.count = select(near, state.count + typename L::Index(1), state.count);
      });
    }
  }
  // [end group]
};

}  // namespace copse
