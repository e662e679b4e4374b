#pragma once
/// \file
/// Friends between the rows of a leaf and single particles, on the lanes of a packet.

#include "../friendship.hpp"
#include "tree_points.hpp"
#include <copse/traversal/leaf_rows.hpp>
#include <copse/traversal/packet_lanes.hpp>

namespace copse::fof {

/// The rows of a leaf, and where they are in space or phase space.
template <class L, bool Velocities>
struct LeafPoints {
  LeafRows<L> rows;
  LanePoint<L, 3> x;
  LanePoint<L, 3> v;  ///< only with Velocities

  template <class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION LeafPoints(const Segment& leaf, int lane,
                                         const TreePoints<MemorySpace>& points)
      : rows(leaf, lane), x(rows.template load_points<3>(points.position)) {
    if constexpr (Velocities) v = rows.template load_points<3>(points.velocity);
  }

  /// Which of the rows are friends of the particle in row `other`?
  template <class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask friends_of(Count other,
                                                          const TreePoints<MemorySpace>& points,
                                                          const Friendship& rule) const {
    using LaneReal = typename L::Real;
    const LaneReal sum = points.template pair_distance2<L, Velocities>(rule, x, v, other);
    return rows.valid & (sum < LaneReal(rule.reach2));
  }
};

/// Joins the set of row `other` with those of the lanes in `mask`, given by a row of each.
KOKKOS_FORCEINLINE_FUNCTION void unite_lanes(const auto& sets, LocalIndex set, bool mask,
                                             LocalIndex other) {
  if (mask) sets.unite(set, other);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION void unite_lanes(const auto& sets, LaneVector<LocalIndex, W> set,
                                             LaneMask<W> mask, LocalIndex other) {
  LocalIndex last = other;  // neighbouring lanes often have the same set
  for (std::uint32_t bits = mask.bits(); bits != 0; bits = without_lowest(bits)) {
    const LocalIndex mine = set[lowest_lane(bits)];
    if (mine != last) sets.unite(mine, other);
    last = mine;
  }
}

}  // namespace copse::fof
