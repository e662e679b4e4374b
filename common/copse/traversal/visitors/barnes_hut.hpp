#pragma once
/// \file
/// Gravity by the Barnes-Hut walk. A node that is far enough acts as a whole, through its mass or
/// its mass and quadrupole; in an opened leaf every particle acts ([Liu 2019] section 2.1 and fig.
/// 2.1; [Barnes, Hut 1986]). Unguided.
///
/// A node is far enough beyond its opening radius (GravityTree). The squared distance is computed
/// as everywhere in the suite (tree/bounds.hpp), so every walk on every backend opens the same
/// nodes in the same order for a given query. The fields still differ in the last digits, because
/// the reciprocal square root and the fusing of multiply-adds differ.
///
/// Softening is either one Plummer length for all pairs, or the spline with a length per particle
/// (gravity/node_softening.hpp says how nodes are softened).

#include <copse/backend/packet_reduction.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/to_mass.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// What opening tests and softening need of the targets besides their positions.
template <class MemorySpace>
struct TargetColumns {
  using Column = Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace>;

  Real softening2;   ///< square of the Plummer softening length, unless there is spline softening
  Column softening;  ///< [queries] spline lengths, if the tree has them, else empty
  /// [queries] sqrt(alpha |a|) with a the last acceleration; only with the relative criterion
  Column limits;

  KOKKOS_FORCEINLINE_FUNCTION bool is_spline() const { return softening.extent(0) > 0; }

  /// The spline length, or the square of the Plummer length.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real softening_of(typename L::Index query) const {
    if (is_spline()) return gather(softening.data(), query);
    return typename L::Real(softening2);
  }
  template <bool Relative, class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real limit_of(typename L::Index query) const {
    if constexpr (Relative) return gather(limits.data(), query);
    return typename L::Real(Real(0));
  }
};

/// Flops (copse/gravity/flops.hpp): 9 for each visited node; 12 more for each accepted monopole or
/// 45 with its quadrupole, because its distance is known; 21 for each particle in an opened leaf.
/// With spline softening 11 for each visited node and 56 for each particle or spline monopole.
///
/// The sums are plain ones in `Real`, with a separate partial sum for each leaf. Measured in float
/// with 1e5 Plummer particles, against sums in double: at theta = 0 (all pairs) the median error is
/// 1.8e-6 and the 99th percentile 7.7e-6. Compensated sums reduce it to 2.7e-8, but from theta =
/// 0.3 on, where the expansion error is 4e-5, they only make walks 10 % slower.
///
/// `Relative` is for trees with the relative criterion, which tests the cube of a node too: 14 more
/// flops for each visited node.
template <int Order, class MemorySpace, bool Relative = false>
struct BarnesHut {
  static constexpr bool guided = false;
  static constexpr bool shares_path = true;

  OctreeView<MemorySpace> tree;
  GravityTree<MemorySpace> gravity;
  Kokkos::View<const Moments<Order>*, MemorySpace> moments;  ///< [nodes], not read by order 1
  Points<3, MemorySpace> queries;
  GravityFields<MemorySpace> results;
  TargetColumns<MemorySpace> targets;

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    GravityField<typename L::Real> found;
    typename L::Real softening, limit;  ///< of TargetColumns
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, 3>(queries, query),
            {},
            targets.template softening_of<L>(query),
            targets.template limit_of<Relative, L>(query)};
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const typename L::Mask open = gravity.template opens<Relative, L>(
        node, state.x, targets.is_spline(), state.softening, state.limit);
    return Outcome<L>(active & open, active & !open);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    add_node<L>(state.found, gravity, moments, node, state.x, targets.is_spline(), state.softening,
                mask);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    const OctreeNode& rows = tree.nodes(node);
    add_bodies<L>(state.found, gravity, rows.begin, rows.end, state.x, targets.is_spline(),
                  state.softening, mask);
  }

  // The group walk (walks/group.hpp).
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION TargetBox group_box(const State<L>& state) const {
    return {packet_box<L, 3>(state.x), targets.is_spline() ? packet_max(state.softening) : Real(0),
            Relative ? packet_min(state.limit) : Real(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Outcome<OneLane> classify_box(const TargetBox& box, Node node) const {
    const bool open = gravity.template opens<Relative>(node, box, targets.is_spline());
    return Outcome<OneLane>(open, !open);
  }
};

}  // namespace copse
