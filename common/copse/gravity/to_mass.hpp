#pragma once
/// \file
/// The gravity of point masses and nodes at the positions of a packet's lanes, and the columns that
/// hold the fields.
///
/// A particle at zero distance contributes neither force nor potential: the target itself, if it is
/// one of the particles, and particles that coincide with it.

#include <copse/backend/lanes.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/gravity/moments.hpp>
#include <copse/gravity/softening.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The resulting fields, in units with G = 1.
template <class MemorySpace>
struct GravityFields {
  Points<3, MemorySpace> acceleration;                             ///< [queries][3]
  Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> potential;  ///< [queries]

  /// Reads the fields of the lanes' queries.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void load(typename L::Index query,
                                        GravityField<typename L::Real>& field) const {
    const auto sum = lane_point<L, 3>(acceleration, query);
    field = {sum[0], sum[1], sum[2], gather(potential.data(), query)};
  }
  /// Writes the fields of the lanes in `valid`.
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

/// Fields at n points, zero.
template <class MemorySpace>
GravityFields<MemorySpace> allocate_fields(Count n) {
  return {Points<3, MemorySpace>("copse::gravity::acceleration", n),
          Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>("copse::gravity::potential", n)};
}

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
      const Kokkos::View<const Moments<Order>*, MemorySpace>& moments, std::uint32_t node) const {
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

/// Adds the field of a node in the lanes of `mask`. `softening` is the targets' spline length with
/// spline softening (`spline`), otherwise the square of the Plummer length. With spline softening
/// the node acts as a spline monopole where the lengths overlap, and with its moments elsewhere.
template <class L, int Order, class MemorySpace>
KOKKOS_FORCEINLINE_FUNCTION void add_node(
    GravityField<typename L::Real>& field, const GravityTree<MemorySpace>& tree,
    const Kokkos::View<const Moments<Order>*, MemorySpace>& moments, std::uint32_t node,
    const LanePoint<L, 3>& x, bool spline, const typename L::Real& softening,
    typename L::Mask mask) {
  using LaneReal = typename L::Real;
  const ToMass<L> d(x, tree.monopole(node));
  if (!spline) return d.pull(field, softening, mask, moments, node);
  const LaneReal support = softening + LaneReal(tree.node_softening(node).length);
  const typename L::Mask overlap = d.square <= support * support;
  if (any(mask & overlap)) d.pull_spline(field, support, mask & overlap);
  d.pull(field, LaneReal(Real(0)), mask & !overlap, moments, node);
}

/// Adds the fields of the particles [begin, end) of the tree, as add_node does. The particles have
/// a partial sum of their own: rounding errors are those of a thousand leaves instead of a million
/// particles.
template <class L, class MemorySpace>
KOKKOS_FORCEINLINE_FUNCTION void add_bodies(GravityField<typename L::Real>& field,
                                            const GravityTree<MemorySpace>& tree, LocalIndex begin,
                                            LocalIndex end, const LanePoint<L, 3>& x, bool spline,
                                            const typename L::Real& softening,
                                            typename L::Mask mask) {
  GravityField<typename L::Real> sum;
  if (spline) {
    for (LocalIndex row = begin; row < end; ++row) {
      const ToMass<L> d(x, tree.bodies(row));
      d.pull_spline(sum, softening + typename L::Real(tree.softening(row)), mask & d.is_apart());
    }
  } else {
    for (LocalIndex row = begin; row < end; ++row) {
      const ToMass<L> d(x, tree.bodies(row));
      d.pull(sum, softening, mask & d.is_apart());
    }
  }
  add_field(field, sum);
}

}  // namespace copse
