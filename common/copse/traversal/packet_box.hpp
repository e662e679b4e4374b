#pragma once
/// \file
/// The box around the queries of a packet, and which rows of a leaf are near it.
///
/// A leaf that one query opens meets all 32 of its packet, row after row. Most rows are too far
/// from all of them: testing 32 rows at once against the packet's box, a row a lane, costs as much
/// as meeting one of them. What is near enough for a query is never left out: the distance to a box
/// is at most the one to what lies in it, as computed (tree/bounds.hpp).

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/traversal/packet_lanes.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Nothing, where lanes do not know of each other.
template <class L, int Dim>
struct PacketBox {
  KOKKOS_FORCEINLINE_FUNCTION explicit PacketBox(const LanePoint<L, Dim>&) {}
};

template <int Dim>
struct PacketBox<PacketLane, Dim> {
  /// Rows that are looked at together.
  static constexpr Count at_once = packet_width;

  BoxBound<Dim> bound;

  /// Around the lanes' points.
  KOKKOS_FORCEINLINE_FUNCTION explicit PacketBox(const LanePoint<PacketLane, Dim>& x) {
    for (int a = 0; a < Dim; ++a) {
      bound.lower[a] = packet_min(x[a]);
      bound.upper[a] = packet_max(x[a]);
    }
  }

  /// Bit i is set if row `first + i` is within the square root of `reach2`, the same in all lanes,
  /// of the box; for rows before `end` and i < at_once. There is a row.
  template <class MemorySpace>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t near_rows(const Points<Dim, MemorySpace>& points,
                                                      Count first, Count end, Real reach2) const {
    const Count mine = first + static_cast<Count>(packet_lane());
    const bool exists = mine < end;
    const LanePoint<OneLane, Dim> x =
        lane_point<OneLane, Dim>(points, static_cast<std::uint32_t>(exists ? mine : end - 1));
    return packet_bits(exists && bound.template min_distance2<OneLane>(x) <= reach2);
  }
};

}  // namespace copse
