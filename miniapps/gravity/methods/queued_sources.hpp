#pragma once
/// \file
/// What the walks of the methods "breadth" and "fmm" collect before they evaluate it: nodes and
/// bodies as sources of gravity, and nodes on a stack that several lanes test at once.

#include <copse/gravity/to_mass.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// A node as a source of gravity, as it waits in a queue.
template <int Order>
struct alignas(16) CellSource {
  Monopole monopole;
  Moments<Order> moments;
};
template <>
struct alignas(16) CellSource<1> {
  Monopole monopole;
};

/// Adds the field of a queued node at the lanes' positions. With `Spline` an overlapping node acts
/// as a spline monopole (gravity/node_softening.hpp). \param softening the sum of both spline
/// lengths, or the square of the Plummer length
template <bool Spline, class L, int Order>
KOKKOS_FORCEINLINE_FUNCTION void add_cell(GravityField<typename L::Real>& field,
                                          const LanePoint<L, 3>& x, const CellSource<Order>& cell,
                                          const typename L::Real& softening) {
  using LaneReal = typename L::Real;
  const ToMass<L> d(x, cell.monopole);
  LaneReal inverse = lane_rsqrt(Spline ? d.square : d.square + softening);
  if constexpr (Spline) {
    const typename L::Mask overlap = d.square <= softening * softening;
    if (any(overlap)) d.pull_spline(field, softening, overlap);
    inverse = select(overlap, LaneReal(Real(0)), inverse);
  }
  if constexpr (Order == 1) {
    add_mass(field, d.x, d.y, d.z, inverse, d.mass);
  } else {
    add_multipole(field, d.x, d.y, d.z, inverse, d.mass, cell.moments);
  }
}

/// Adds the field of a body, unless it is at zero distance. \param softening as add_cell
template <bool Spline, class L>
KOKKOS_FORCEINLINE_FUNCTION void add_body(GravityField<typename L::Real>& field,
                                          const LanePoint<L, 3>& x, const Monopole& body,
                                          const typename L::Real& softening) {
  const ToMass<L> d(x, body);
  if constexpr (Spline)
    d.pull_spline(field, softening, d.is_apart());
  else
    d.pull(field, softening, d.is_apart());
}

/// Nodes that a depth-first walk of single nodes needs on the stack beyond those it began with.
inline constexpr int least_room = OctreeView<Kokkos::HostSpace>::stack_size;

/// Nodes to take from a stack of `stacked` in room for `room`, at most `width`.
KOKKOS_FORCEINLINE_FUNCTION int nodes_to_take(int stacked, int room, int width) {
  const int more = (room - stacked - least_room) / 7;
  const int most = more < 1 ? 1 : more < width ? more : width;
  return stacked < most ? stacked : most;
}

}  // namespace copse::gravity
