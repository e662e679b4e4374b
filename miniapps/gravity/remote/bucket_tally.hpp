#pragma once
/// \file
/// A visitor whose queries are buckets: it counts what each of them interacts with.
///
/// A query is a box. If it is the box of a whole leaf, however many bodies it has, the counts are
/// those of the bucket-to-node criterion of [Liu 2019] section 4.3, not of the pieces into which
/// the method `bucket` cuts leaves with more bodies than a packet has lanes. For walks with one
/// query at a time (WalkKind::stack).

#include <copse/gravity/gravity_tree.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// What a bucket interacts with.
struct Tally {
  Count cells = 0;   ///< accepted nodes
  Count bodies = 0;  ///< bodies of opened leaves
  double mass = 0;   ///< of both: that of all bodies, if each counts once
};

template <class MemorySpace>
struct BucketTally {
  static constexpr bool guided = false;

  OctreeView<MemorySpace> tree;
  GravityTree<MemorySpace> gravity;
  Kokkos::View<const NodeBounds*, Kokkos::LayoutLeft, MemorySpace> boxes;  ///< [queries] of buckets
  Kokkos::View<Tally*, Kokkos::LayoutLeft, MemorySpace> tallies;           ///< [queries]

  template <class>
  struct State {
    BoxBound<3> box;
    Tally tally;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(LocalIndex query) const {
    const NodeBounds& box = boxes(query);
    return {{box.lower, box.upper}, {}};
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(LocalIndex query) const {
    State<L> state = start<L>(query);
    state.tally = tallies(query);
    return state;
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node, bool) const {
    const bool near = state.box.template min_distance2<OneLane>(gravity.monopole(node).centre) <=
                      gravity.opening2(node);
    return Outcome<L>(near, !near);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, bool) const {
    ++state.tally.cells;
    state.tally.mass += static_cast<double>(gravity.monopole(node).mass);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, bool) const {
    state.tally.bodies += tree.rows_of(node).size();
    state.tally.mass += static_cast<double>(gravity.monopole(node).mass);
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void finish(LocalIndex query, const State<L>& state, bool) const {
    tallies(query) = state.tally;
  }
};

}  // namespace copse::gravity
