#pragma once
/// \file
/// Point correlation: counts the points of the tree within a radius of each query ([Liu 2019]
/// section 3.4.1, figures 3.1 and 3.3). A node wholly within the radius is counted without being
/// opened, which the paper's kernel does not do; with hundreds of neighbours per query, most are
/// counted this way.

#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

namespace copse {

template <int Dim, class MemorySpace>
struct RangeCount {
  static constexpr bool guided = false;

  BoxTree<Dim, MemorySpace> tree;
  Points<Dim, MemorySpace> queries;
  CountResults<MemorySpace> results;
  Real radius2;  ///< squared; inclusive, compared as computed

  // [begin state]
  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    typename L::Index found = typename L::Index(0u);
  };
  // [end state]

  // [begin classify]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const typename L::Real within(radius2);
    const auto& box = tree.bounds(node);
    const typename L::Mask touched = active & (box.template min_distance2<L>(state.x) <= within);
    if (!any(touched)) return Outcome<L>(touched);
    const typename L::Mask inside = touched & (box.template max_distance2<L>(state.x) <= within);
    return Outcome<L>(touched & !inside, inside);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    add_where(mask, state.found, static_cast<std::uint32_t>(tree.rows_of(node).size()));
  }
  // [end classify]

  // [begin leaf]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    for_each_distance2<L>(tree, node, state.x, [&](LocalIndex, const typename L::Real& d2) {
      add_where(mask & (d2 <= typename L::Real(radius2)), state.found, 1);
    });
  }
  // [end leaf]

  // [begin box]
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Real reach2(const State<L>&) const {
    return radius2;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void add_inside(State<L>& state, std::uint32_t rows) const {
    state.found += typename L::Index(rows);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void add_near(State<L>& state, const NearBatch<L, Dim>& near) const {
    state.found += near.count_within(state.x, radius2);
  }
  // [end box]
};

}  // namespace copse
