#pragma once
/// \file
/// Gravity by the Barnes-Hut walk. A node that is far enough acts as a whole, through its mass or
/// its mass and quadrupole; in an opened leaf every particle acts ([Liu 2019] section 2.1 and fig.
/// 2.1; Barnes and Hut 1986). Unguided.
///
/// A node is far enough beyond its opening radius (GravityTree). The squared distance is computed
/// as everywhere in the suite (tree/bounds.hpp), so every walk on every backend opens the same
/// nodes in the same order for a given query. The fields still differ in the last digits, because
/// the reciprocal square root and the fusing of multiply-adds differ.
///
/// A particle at zero distance contributes neither force nor potential: the query itself, if it is
/// one of the particles, and particles that coincide with it.

#include <copse/gravity/gravity_tree.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// The resulting fields, in units with G = 1.
template <class MemorySpace>
struct GravityFields {
  Points<3, MemorySpace> acceleration;                             ///< [queries][3]
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> potential;  ///< [queries]
};

/// Flops: 9 for each visited node, 12 for each accepted monopole or 45 with its quadrupole, 21 for
/// each particle in an opened leaf. The reciprocal root counts as one (gravity_table has the
/// numbers).
///
/// The sums are plain ones in `Real`, with a separate partial sum for each leaf. Measured in float
/// with 1e5 Plummer particles, against sums in double: at theta = 0 (all pairs) the median error is
/// 1.8e-6 and the 99th percentile 7.7e-6. Compensated sums reduce it to 2.7e-8, but from theta =
/// 0.3 on, where the expansion error is 4e-5, they only make walks 10 % slower.
template <int Order, class MemorySpace>
struct BarnesHut {
  static constexpr bool guided = false;
  static constexpr bool shares_path = true;

  OctreeView<MemorySpace> tree;
  GravityTree<MemorySpace> gravity;
  Kokkos::View<const Moments<Order>*, MemorySpace> moments;  ///< [nodes], not read by order 1
  Points<3, MemorySpace> queries;
  GravityFields<MemorySpace> fields;
  Real softening2;  ///< square of the Plummer softening length

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    GravityField<typename L::Real> field;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, 3>(queries, query);
    return state;
  }

  /// Continues from the stored fields.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(typename L::Index query) const {
    const auto acceleration = lane_point<L, 3>(fields.acceleration, query);
    State<L> state = start<L>(query);
    state.field.x = acceleration[0];
    state.field.y = acceleration[1];
    state.field.z = acceleration[2];
    state.field.potential = gather(fields.potential.data(), query);
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const Separation<L> d(state.x, gravity.monopole(node));
    const typename L::Mask near = d.square <= typename L::Real(gravity.opening2(node));
    return Outcome<L>(active & near, active & !near);
  }

  /// For all positions in a box: opens the node if any of them would open it.
  KOKKOS_FORCEINLINE_FUNCTION Outcome<OneLane> classify_box(const BoxBound<3>& box,
                                                            Node node) const {
    const Real square = box.template min_distance2<OneLane>(gravity.monopole(node).centre);
    const bool near = square <= gravity.opening2(node);
    return Outcome<OneLane>(near, !near);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    const Monopole& source = gravity.monopole(node);
    pull_of_node<L>(state.field, node, Separation<L>(state.x, source), source, mask);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    using LaneReal = typename L::Real;
    const OctreeNode& rows = tree.nodes(node);
    // A partial sum per leaf: rounding errors of a thousand leaves instead of a million particles.
    GravityField<LaneReal> sum;
    for (LocalIndex row = rows.begin; row < rows.end; ++row) {
      const Monopole& source = gravity.bodies(row);
      const Separation<L> d(state.x, source);
      add_mass(sum, d.x, d.y, d.z, inverse_distance<L>(d, active & (d.square > LaneReal(0))),
               LaneReal(source.mass));
    }
    state.field.x += sum.x;
    state.field.y += sum.y;
    state.field.z += sum.z;
    state.field.potential += sum.potential;
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    Real* const acceleration = fields.acceleration.data();
    const auto axis = fields.acceleration.stride(1);
    scatter(acceleration, query, state.field.x, valid);
    scatter(acceleration + axis, query, state.field.y, valid);
    scatter(acceleration + 2 * axis, query, state.field.z, valid);
    scatter(fields.potential.data(), query, state.field.potential, valid);
  }

 private:
  /// The vector from the queries to a point mass.
  template <class L>
  struct Separation {
    typename L::Real x, y, z, square;

    KOKKOS_FORCEINLINE_FUNCTION Separation(const LanePoint<L, 3>& from, const Monopole& to)
        : x(typename L::Real(to.centre[0]) - from[0]),
          y(typename L::Real(to.centre[1]) - from[1]),
          z(typename L::Real(to.centre[2]) - from[2]),
          square(add_square(add_square(add_square(x, x, 0), y, 1), z, 2)) {}
  };

  /// 1 / r, softened, in the lanes of `meant`; 0 in the others, so that their sums do not change.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real inverse_distance(const Separation<L>& d,
                                                                typename L::Mask meant) const {
    using LaneReal = typename L::Real;
    return select(meant, lane_rsqrt(d.square + LaneReal(softening2)), LaneReal(Real(0)));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void pull_of_node(GravityField<typename L::Real>& field, Node node,
                                                const Separation<L>& d, const Monopole& source,
                                                typename L::Mask far) const {
    using LaneReal = typename L::Real;
    const LaneReal inverse_r = inverse_distance<L>(d, far);
    if constexpr (Order == 1) {
      add_mass(field, d.x, d.y, d.z, inverse_r, LaneReal(source.mass));
    } else {
      add_multipole(field, d.x, d.y, d.z, inverse_r, LaneReal(source.mass), moments(node));
    }
  }
};

}  // namespace copse
