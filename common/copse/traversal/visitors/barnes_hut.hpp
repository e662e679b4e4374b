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
///
/// A particle at zero distance contributes neither force nor potential: the query itself, if it is
/// one of the particles, and particles that coincide with it.

#include <copse/backend/packet_reduction.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/softening.hpp>
#include <copse/traversal/packet_points.hpp>
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

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION GravityField<typename L::Real> load(typename L::Index query) const {
    const auto sum = lane_point<L, 3>(acceleration, query);
    return {sum[0], sum[1], sum[2], gather(potential.data(), query)};
  }
  template <class L>
  KOKKOS_FUNCTION void store(typename L::Index query, const GravityField<typename L::Real>& field,
                             typename L::Mask valid) const {
    const auto axis = acceleration.stride(1);
    scatter(acceleration.data(), query, field.x, valid);
    scatter(acceleration.data() + axis, query, field.y, valid);
    scatter(acceleration.data() + 2 * axis, query, field.z, valid);
    scatter(potential.data(), query, field.potential, valid);
  }
};

/// The vector from the lanes' queries to a point mass.
template <class L>
struct ToMass {
  using LaneReal = typename L::Real;
  LaneReal x, y, z, square;
  LaneReal mass;

  KOKKOS_FORCEINLINE_FUNCTION ToMass(const LanePoint<L, 3>& from, const Monopole& to)
      : x(LaneReal(to.centre[0]) - from[0]),
        y(LaneReal(to.centre[1]) - from[1]),
        z(LaneReal(to.centre[2]) - from[2]),
        square(add_square(add_square(add_square(x, x, 0), y, 1), z, 2)),
        mass(to.mass) {}

  /// Lanes whose squared distance is a normal number; a smaller one counts as zero.
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask is_apart() const {
    return square >= LaneReal(Kokkos::Experimental::norm_min_v<Real>);
  }

  /// Adds the field of the mass, with the square of the Plummer softening length, in the lanes of
  /// `mask`. In the others 1 / r is 0, so that their sums do not change.
  KOKKOS_FORCEINLINE_FUNCTION void pull(GravityField<LaneReal>& field, const LaneReal& softening2,
                                        typename L::Mask mask) const {
    add_mass(field, x, y, z, inverse(softening2, mask), mass);
  }
  /// The same of a node's mass and moments, which are not read if they are of order 1.
  template <int Order, class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION void pull(
      GravityField<LaneReal>& field, const LaneReal& softening2, typename L::Mask mask,
      const Kokkos::View<const Moments<Order>*, MemorySpace>& moments, Node node) const {
    if constexpr (Order == 1) {
      pull(field, softening2, mask);
    } else {
      add_multipole(field, x, y, z, inverse(softening2, mask), mass, moments(node));
    }
  }

  /// The same with spline softening; `support` is the sum of both lengths.
  KOKKOS_FORCEINLINE_FUNCTION void pull_spline(GravityField<LaneReal>& field,
                                               const LaneReal& support,
                                               typename L::Mask mask) const {
    const LaneReal zero(Real(0));
    const PairFactors<LaneReal> pair = spline_factors(square, support);
    add_softened_mass(field, x, y, z,
                      {select(mask, pair.potential, zero), select(mask, pair.force, zero)}, mass);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION LaneReal inverse(const LaneReal& softening2,
                                               typename L::Mask mask) const {
    return select(mask, lane_rsqrt(square + softening2), LaneReal(Real(0)));
  }
};

/// The targets of a group.
struct TargetBox : BoxBound<3> {
  Real softening = 0;  ///< the largest spline length
  Real limit = 0;      ///< the smallest of the relative criterion
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
  GravityFields<MemorySpace> fields;
  Real softening2;  ///< square of the Plummer softening length, unless there is `softening`
  /// [queries] spline softening lengths of the targets, if the tree has them, else empty
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> softening{};
  /// [queries] sqrt(alpha |a|) with a the last acceleration of the target; only if Relative
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> limits{};

  template <class L>
  struct State {
    LanePoint<L, 3> x;
    GravityField<typename L::Real> field;
    typename L::Real softening, limit;
  };

  KOKKOS_FORCEINLINE_FUNCTION bool is_spline() const { return softening.extent(0) > 0; }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, 3>(queries, query), {}, length_of<L>(query), limit_of<L>(query)};
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(typename L::Index query) const {
    return {lane_point<L, 3>(queries, query), fields.template load<L>(query), length_of<L>(query),
            limit_of<L>(query)};
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real length_of(typename L::Index query) const {
    if (is_spline()) return gather(softening.data(), query);
    return typename L::Real(Real(0));
  }
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real limit_of(typename L::Index query) const {
    if constexpr (Relative) return gather(limits.data(), query);
    return typename L::Real(Real(0));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const ToMass<L> d(state.x, gravity.monopole(node));
    const typename L::Mask near =
        is_spline() ? is_near<true, L>(node, d.square, state.softening, state.limit)
                    : is_near<false, L>(node, d.square, state.softening, state.limit);
    if constexpr (Relative) {
      const typename L::Mask open = near | in_cube<L>(node, state.x, state.x);
      return Outcome<L>(active & open, active & !open);
    } else {
      return Outcome<L>(active & near, active & !near);
    }
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION TargetBox group_box(const State<L>& state) const {
    TargetBox box{packet_box<L, 3>(state.x), is_spline() ? packet_max(state.softening) : Real(0)};
    if constexpr (Relative) box.limit = packet_min(state.limit);
    return box;
  }
  /// For all targets in a box: opens the node if any of them would open it.
  KOKKOS_FORCEINLINE_FUNCTION Outcome<OneLane> classify_box(const TargetBox& box, Node node) const {
    const bool near = is_spline() ? opens<true>(box, node) : opens<false>(box, node);
    return Outcome<OneLane>(near, !near);
  }
  /// Does any target in the box open the node? `Spline` says if there is spline softening.
  template <bool Spline>
  KOKKOS_FORCEINLINE_FUNCTION bool opens(const TargetBox& box, Node node) const {
    const Real square = box.template min_distance2<OneLane>(gravity.monopole(node).centre);
    const bool near = is_near<Spline, OneLane>(node, square, box.softening, box.limit);
    if constexpr (Relative)
      return near || in_cube<OneLane>(node, box.lower, box.upper);
    else
      return near;
  }
  /// Is a target at this squared distance near enough to open the node, wherever its cube is?
  template <bool Spline, class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask is_near(Node node, const typename L::Real& square,
                                                       const typename L::Real& length,
                                                       const typename L::Real& limit) const {
    using LaneReal = typename L::Real;
    const LaneReal opening2(gravity.opening2(node));
    if constexpr (Relative && Spline)
      return (square * limit <= opening2) | (square <= gravity.overlap2(node, length));
    else if constexpr (Relative)
      return square * limit <= opening2;
    else if constexpr (Spline)
      return square <= gravity.softened_opening2(node, length);
    else
      return square <= opening2;
  }
  /// Do boxes, or points, meet the node's cube? Only if Relative.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask in_cube(Node node, const LanePoint<L, 3>& lower,
                                                       const LanePoint<L, 3>& upper) const {
    using LaneReal = typename L::Real;
    const OctreeCell cube = gravity.cubes(node);
    LaneReal farthest(Real(0));
    for (int a = 0; a < 3; ++a) {
      const LaneReal centre(cube.centre[a]);
      farthest = lane_max(farthest, lane_max(lower[a] - centre, centre - upper[a]));
    }
    return farthest <= LaneReal(cube.half_side);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    const ToMass<L> d(state.x, gravity.monopole(node));
    if (!is_spline()) return d.pull(state.field, softening2, mask, moments, node);
    const auto support = state.softening + typename L::Real(gravity.node_softening(node).length);
    const typename L::Mask overlap = d.square <= support * support;
    if (any(mask & overlap)) d.pull_spline(state.field, support, mask & overlap);
    d.pull(state.field, Real(0), mask & !overlap, moments, node);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    const OctreeNode& rows = tree.nodes(node);
    // A partial sum per leaf: rounding errors of a thousand leaves instead of a million particles.
    GravityField<typename L::Real> sum;
    if (is_spline()) {
      for (LocalIndex row = rows.begin; row < rows.end; ++row) {
        const ToMass<L> d(state.x, gravity.bodies(row));
        d.pull_spline(sum, state.softening + typename L::Real(gravity.softening(row)),
                      active & d.is_apart());
      }
    } else {
      for (LocalIndex row = rows.begin; row < rows.end; ++row) {
        const ToMass<L> d(state.x, gravity.bodies(row));
        d.pull(sum, softening2, active & d.is_apart());
      }
    }
    add_field(state.field, sum);
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    fields.template store<L>(query, state.field, valid);
  }
};

}  // namespace copse
