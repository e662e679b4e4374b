#pragma once
/// \file
/// Counts of a walk's visits: of one packet while it walks, and summed over all packets.

#include <copse/backend/types.hpp>
#include <copse/traversal/packet.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Counters of a walk; timed walks use NoCounters.
///
/// Each lane of the packet calls
///  - `visit(active)` when a node is popped, with the number of queries that look at it (and the
///    number of nodes, if lanes look at different nodes);
///  - `open(n)` with the number of queries that open a node;
///  - `truncate(n)` with the number of queries that stop at a node where the packet continues;
///  - `search(tree, leaf, n)` with the number of queries that search a leaf;
///  - `compare(n)` with the number of distances computed elsewhere.
struct NoCounters {
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::uint32_t, Count = 1) {}
  KOKKOS_FORCEINLINE_FUNCTION void open(std::uint32_t) {}
  KOKKOS_FORCEINLINE_FUNCTION void truncate(std::uint32_t) {}
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Tree&, Node, std::uint32_t) {}
  KOKKOS_FORCEINLINE_FUNCTION void compare(Count) {}
};

/// Counts of one packet or one single query.
struct PacketCounters {
  Count nodes = 0;        ///< nodes visited by the packet
  Count lane_nodes = 0;   ///< nodes visited, summed over the queries
  Count lane_opened = 0;  ///< nodes opened, summed over the queries; 0 in walks/packet_box.hpp
  Count truncations = 0;  ///< times a query stopped where its packet continued
  Count rows = 0;         ///< points in the leaves that the packet searched
  Count lane_rows = 0;    ///< the same, summed over the queries that searched them

  KOKKOS_FORCEINLINE_FUNCTION void visit(std::uint32_t active, Count together = 1) {
    nodes += together;
    lane_nodes += active * together;
  }
  KOKKOS_FORCEINLINE_FUNCTION void open(std::uint32_t lanes) { lane_opened += lanes; }
  KOKKOS_FORCEINLINE_FUNCTION void truncate(std::uint32_t lanes) { truncations += lanes; }
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Tree& tree, Node leaf, std::uint32_t lanes) {
    const Count here = tree.rows_of(leaf).size();
    rows += here;
    lane_rows += here * lanes;
  }
  KOKKOS_FORCEINLINE_FUNCTION void compare(Count distances) { lane_rows += distances; }
};

/// Sums over all packets of a walk.
struct WalkCounters {
  Count packets = 0;
  Count nodes = 0;        ///< nodes visited by packets
  Count lane_nodes = 0;   ///< nodes visited by queries
  Count lane_opened = 0;  ///< nodes opened by queries; not counted by walks/packet_box.hpp
  Count truncations = 0;  ///< times a query stopped at a node where its packet continued
  Count rows = 0;         ///< points in leaves that packets searched
  Count lane_rows = 0;    ///< points that queries searched: distances computed
  int width = 1;          ///< queries in a packet

  WalkCounters& operator+=(const WalkCounters& other) {
    packets += other.packets;
    nodes += other.nodes;
    lane_nodes += other.lane_nodes;
    lane_opened += other.lane_opened;
    truncations += other.truncations;
    rows += other.rows;
    lane_rows += other.lane_rows;
    return *this;
  }

  double nodes_per_packet() const { return ratio(nodes, packets); }
  /// Mean fraction of a packet's lanes that are active at a visited node.
  double utilisation() const { return ratio(lane_nodes, nodes * static_cast<Count>(width)); }

 private:
  static double ratio(Count a, Count b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

template <class MemorySpace>
using CounterTotals = Kokkos::View<WalkCounters, MemorySpace>;

/// Adds a packet's counts to the totals; nothing for NoCounters.
template <class Totals>
KOKKOS_FORCEINLINE_FUNCTION void add_counts(const Totals&, const NoCounters&) {}
template <class Totals>
KOKKOS_FUNCTION void add_counts(const Totals& totals, const PacketCounters& counters) {
  Kokkos::atomic_add(&totals().packets, Count{1});
  Kokkos::atomic_add(&totals().nodes, counters.nodes);
  Kokkos::atomic_add(&totals().lane_nodes, counters.lane_nodes);
  Kokkos::atomic_add(&totals().lane_opened, counters.lane_opened);
  Kokkos::atomic_add(&totals().truncations, counters.truncations);
  Kokkos::atomic_add(&totals().rows, counters.rows);
  Kokkos::atomic_add(&totals().lane_rows, counters.lane_rows);
}

}  // namespace copse
