#pragma once
/// \file
/// Counts the nodes and particles that act on each query of a Barnes-Hut walk, with the opening
/// criterion of BarnesHut. The work model of gravity uses these counts. Unguided.

#include <copse/gravity/gravity_tree.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::test {

template <class MemorySpace>
struct InteractionCount {
  static constexpr bool guided = false;

  OctreeView<MemorySpace> tree;
  GravityTree<MemorySpace> gravity;
  Points<3, MemorySpace> queries;
  Kokkos::View<std::uint32_t*, MemorySpace> nodes;  ///< [queries] accepted nodes
  Kokkos::View<std::uint32_t*, MemorySpace> rows;   ///< [queries] particles of opened leaves

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    typename L::Index nodes;
    typename L::Index rows;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, 3>(queries, query), typename L::Index(0u), typename L::Index(0u)};
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const Monopole& source = gravity.monopole(node);
    const typename L::Mask near = squared_distance<L, 3>(state.x, ArrayPoint<3>{source.centre}) <=
                                  typename L::Real(gravity.opening2(node));
    return Outcome<L>(active & near, active & !near);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node, typename L::Mask mask) const {
    state.nodes = select(mask, state.nodes + typename L::Index(1u), state.nodes);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    const typename L::Index here(tree.nodes(node).rows());
    state.rows = select(active, state.rows + here, state.rows);
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    scatter(nodes.data(), query, state.nodes, valid);
    scatter(rows.data(), query, state.rows, valid);
  }
};

}  // namespace copse::test
