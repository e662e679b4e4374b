#pragma once
/// \file
/// The K nearest points found so far by one query of a GPU packet: the farthest in a register, the
/// others in a binary max-heap in scratch memory.
///
/// A sorted list in registers (neighbor_list.hpp) moves up to K entries for each insertion, because
/// registers have no index: 192 instructions for 32 neighbours. A heap moves log2(K) - 1 entries at
/// most. Scratch memory is laid out so that a thread's entries are all in its own bank, so threads
/// may be at different entries.
///
/// H200, 10^7 points, group walk, ms: 16 neighbours 13.7 with the list, 9.8 with the heap; 32
/// neighbours 36.4 and 18.9; 8 neighbours the same.

#include <copse/backend/packet.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace copse {

/// A neighbour: its squared distance and its row in the tree.
struct Neighbor {
  float distance2;
  LocalIndex row;
};

/// Squared distance and row as one integer, ordered like the two; a GPU compares it in two
/// instructions instead of three. No squared distance may be -0.
KOKKOS_FORCEINLINE_FUNCTION std::int64_t ordered_neighbor(float distance2, LocalIndex row) {
  return static_cast<std::int64_t>(Kokkos::bit_cast<std::int32_t>(distance2)) << 32 | row;
}

/// A heap of `K` neighbours, a power of two, for builds whose Real is float. Points at equal
/// computed distance are ordered by row, as in a NeighborList, so both find the same neighbours.
///
/// Invariant: entries 1 to K - 1 are a heap, entry i not smaller than 2 i and 2 i + 1, and no entry
/// is greater than the farthest neighbour. If fewer than K neighbours are wanted, entries without a
/// neighbour are `nothing`, which is smaller than all.
template <int K>
class NeighborHeap {
  static_assert(K >= 2 && (K & (K - 1)) == 0);

 public:
  /// Scratch memory of a packet.
  static constexpr std::size_t packet_bytes = sizeof(std::int64_t) * (K - 1) * packet_width;

  /// `memory` belongs to the packet, `lane` to the calling thread. `clear` or `assign` must follow.
  KOKKOS_FORCEINLINE_FUNCTION NeighborHeap(void* memory, int lane)
      : entries_(static_cast<std::int64_t*>(memory) + lane - packet_width) {}

  /// Sets the neighbours to `neighbor(j)`, j = 0 to wanted - 1, nearest first.
  template <class Function>
  KOKKOS_FORCEINLINE_FUNCTION void assign(int wanted, const Function& neighbor) {
    farthest_ = packed(neighbor(wanted - 1));
    for (int i = 1; i < K; ++i) entry(i) = i < wanted ? packed(neighbor(wanted - 1 - i)) : nothing;
  }
  /// Empties the heap and sets the number of neighbours to `wanted`.
  KOKKOS_FORCEINLINE_FUNCTION void clear(int wanted) {
    assign(wanted, [](int) {
      return Neighbor{Kokkos::Experimental::infinity_v<float>, ~LocalIndex{0}};
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION float farthest2() const { return unpacked(farthest_).distance2; }

  /// Inserts a point if it is nearer than the farthest neighbour, which drops out.
  KOKKOS_FORCEINLINE_FUNCTION void insert(float d2, LocalIndex row) {
    const std::int64_t here = ordered_neighbor(d2, row);
    if (here >= farthest_) return;
    farthest_ = entry(1);
    if (here >= farthest_) {
      farthest_ = here;
    } else {
      sink(here);
    }
  }

  /// Removes the farthest neighbour.
  KOKKOS_FORCEINLINE_FUNCTION Neighbor take_farthest() {
    const Neighbor taken = unpacked(farthest_);
    farthest_ = entry(1);
    sink(nothing);
    return taken;
  }

 private:
  static constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::min();
  static constexpr int levels = Kokkos::bit_width(static_cast<unsigned>(K)) - 1;

  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t packed(const Neighbor& neighbor) {
    return ordered_neighbor(neighbor.distance2, neighbor.row);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Neighbor unpacked(std::int64_t entry) {
    return {Kokkos::bit_cast<float>(static_cast<std::int32_t>(entry >> 32)),
            static_cast<LocalIndex>(entry)};
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t& entry(int i) const {
    return entries_[i * packet_width];
  }

  /// Replaces the greatest entry by `here`, which sinks below all greater ones.
  KOKKOS_FORCEINLINE_FUNCTION void sink(std::int64_t here) {
    int i = 1;
    COPSE_UNROLL
    for (int level = 1; level < levels; ++level) {
      const std::int64_t first = entry(2 * i), second = entry(2 * i + 1);
      const bool right = first < second;
      const std::int64_t greater = right ? second : first;
      if (greater <= here) break;
      entry(i) = greater;
      i = 2 * i + right;
    }
    entry(i) = here;
  }

  std::int64_t* entries_;  ///< the lane's entry 0, which does not exist
  std::int64_t farthest_ = nothing;
};

}  // namespace copse
