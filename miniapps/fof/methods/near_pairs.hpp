#pragma once
/// \file
/// Friendship tests between the particles of a leaf and single particles, on the lanes of a packet.

#include "../friendship.hpp"
#include "tree_points.hpp"
#include <copse/traversal/packet.hpp>
#include <copse/traversal/packet_points.hpp>

namespace copse::fof {

/// The particles of a leaf, with their positions and, in 6-D, velocities.
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

  /// The mask of leaf particles that are friends of particle `other`.
  template <Images images = Images::nearest, class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask friends_of(Count other,
                                                          const TreePoints<MemorySpace>& points,
                                                          const Friendship& rule) const {
    using LaneReal = typename L::Real;
    const LaneReal sum = points.template pair_distance2<L, Velocities, images>(rule, x, v, other);
    return rows.valid & (sum < LaneReal(rule.reach2));
  }
};

/// Joins the set of particle `other` with those of the lanes in `mask`; `set` names one particle of
/// each lane's set. Threads of a packet may call it independently.
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

/// The roots of two particles that are the same in all lanes of a packet. One thread searches for
/// each: path splitting is atomic, and 32 threads would repeat it serially.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::pair<LocalIndex, LocalIndex> roots_of(const auto& sets,
                                                                          LocalIndex a,
                                                                          LocalIndex b, int lane) {
  if constexpr (L::width == 1) {
    const LocalIndex root = lane < 2 ? sets.find(lane == 0 ? a : b) : 0;
    return {packet_value(root, 0), packet_value(root, 1)};
  } else {
    return {sets.find(a), sets.find(b)};
  }
}

/// As unite_lanes, but called by all lanes of a packet together: lanes whose sets are already one
/// share a single join. Moves `set` nearer to the root.
KOKKOS_FORCEINLINE_FUNCTION void unite_packet(const auto& sets, LocalIndex& set, bool mask,
                                              LocalIndex other, int lane) {
  const std::uint32_t joining = packet_bits(mask);
  if (mask) set = sets.find(set);
  const int first = lowest_lane(joining);
  // Nearly always all lanes share one set, which is that of `other`.
  if (lane == first) sets.unite(set, other);
  const LocalIndex done = packet_value(set, first);
  mask = mask && set != done;
  for (std::uint32_t bits = packet_bits(mask); bits != 0; bits = packet_bits(mask)) {
    const int next = lowest_lane(bits);
    if (lane == next) sets.unite(set, other);
    const LocalIndex joined = packet_value(set, next);
    mask = mask && set != joined;
  }
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION void unite_packet(const auto& sets,
                                              const LaneVector<LocalIndex, W>& set,
                                              LaneMask<W> mask, LocalIndex other, int) {
  unite_lanes(sets, set, mask, other);
}

}  // namespace copse::fof
