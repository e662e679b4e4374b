#pragma once
/// \file
/// A packet: the queries that walk together, one per lane. Lanes vote by warp ballot on a GPU and
/// by the bits of the vector mask on a host. The packet's stack is in scratch memory on a device,
/// where lane 0 writes and all lanes read; on a host it is an array.
///
/// All lanes of a packet must call these functions together.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace copse {

/// Node index, in any tree.
using Node = std::uint32_t;

/// Queries per packet: the vector width on a host, the warp width where lanes are threads.
template <class L>
inline constexpr int packet_lanes = L::width > 1 ? L::width : packet_width;

/// Ballot: bit l is set if lane l passed true.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_bits(bool mask) {
  return packet_ballot(mask);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_bits(LaneMask<W> mask) {
  return mask.bits();
}

/// The inverse of packet_bits; `lane` is the calling thread's lane.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Mask packet_mask(std::uint32_t bits, int lane) {
  if constexpr (L::width == 1) {
    return ((bits >> lane) & 1u) != 0;
  } else {
    return L::Mask::from_bits(bits);
  }
}

/// Broadcasts the value of lane `lane`.
template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION T packet_value(T value, int lane) {
  return packet_broadcast(value, lane);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_value(LaneVector<std::uint32_t, W> value,
                                                       int lane) {
  return value[lane];
}

/// The value of a thread, or of a vector's first lane.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first_lane(std::uint32_t value) {
  return value;
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t first_lane(LaneVector<std::uint32_t, W> value) {
  return value[0];
}

/// Minimum, maximum and sum over the lanes of a vector; packet_reduction.hpp has the device
/// versions.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION T packet_min(LaneVector<T, W> value) {
  T least = value[0];
  for (int l = 1; l < W; ++l) least = lane_min(least, value[l]);
  return least;
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION T packet_max(LaneVector<T, W> value) {
  T greatest = value[0];
  for (int l = 1; l < W; ++l) greatest = lane_max(greatest, value[l]);
  return greatest;
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_sum(LaneVector<std::uint32_t, W> value) {
  std::uint32_t sum = 0;
  for (int l = 0; l < W; ++l) sum += value[l];
  return sum;
}

/// The sum of `value` over the lanes in `mask`: of the calling thread alone, or of a host vector.
KOKKOS_FORCEINLINE_FUNCTION Count lane_sum(std::uint32_t value, bool mask) {
  return mask ? value : 0;
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION Count lane_sum(LaneVector<std::uint32_t, W> value, LaneMask<W> mask) {
  const std::uint32_t bits = mask.bits();
  Count sum = 0;
  for (int l = 0; l < W; ++l)
    if ((bits >> l & 1u) != 0) sum += value[l];
  return sum;
}

/// The lane indices; `lane` is the calling thread's.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Index lane_numbers(int lane) {
  if constexpr (L::width == 1) {
    return static_cast<std::uint32_t>(lane);
  } else {
    return L::Index::of([](int l) { return l; });
  }
}

/// For each lane the number of set `bits` below it: its rank among the lanes whose bits are set.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Index lane_ranks(std::uint32_t bits, int lane) {
  if constexpr (L::width == 1) {
    return static_cast<std::uint32_t>(Kokkos::popcount(bits & ((1u << lane) - 1u)));
  } else {
    return L::Index::of([&](int l) { return Kokkos::popcount(bits & ((1u << l) - 1u)); });
  }
}

/// The lowest set bit (at least one must be set), and `bits` without it. Kokkos::countr_zero is
/// constexpr and compiles to some 30 instructions on a GPU, so the builtin is used.
KOKKOS_FORCEINLINE_FUNCTION int lowest_lane(std::uint32_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t without_lowest(std::uint32_t bits) {
  return bits & (bits - 1u);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lanes_in(std::uint32_t bits) {
  return static_cast<std::uint32_t>(Kokkos::popcount(bits));
}

/// A node to visit and the lanes that visit it.
struct MaskedNode {
  Node node;
  std::uint32_t lanes;
};

/// The stack of a packet. `entries` must have room for the tree's stack_size.
template <class L, class Entry>
class PacketStack {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit PacketStack(Entry* entries) : entries_(entries) {}

  KOKKOS_FORCEINLINE_FUNCTION bool is_empty() const { return depth_ == 0; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t depth() const { return depth_; }

  KOKKOS_FORCEINLINE_FUNCTION void push(const Entry& entry) {
    if (L::width > 1 || packet_lane() == 0) entries_[depth_] = entry;
    ++depth_;
  }

  KOKKOS_FORCEINLINE_FUNCTION Entry pop() {
    if constexpr (L::width == 1) packet_sync();  // make pushed entries visible
    const Entry top = entries_[--depth_];
    if constexpr (L::width == 1) packet_sync();  // all lanes read before lane 0 overwrites
    return top;
  }

 private:
  Entry* entries_;
  std::uint32_t depth_ = 0;
};

}  // namespace copse
