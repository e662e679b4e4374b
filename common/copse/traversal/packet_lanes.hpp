#pragma once
/// \file
/// What the lanes of a packet agree on: over the threads of a GPU's packet by ballots, over the
/// lanes of a host's vector by its mask.
///
/// Every lane of a packet must call these together.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/packet_reduction.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Queries in a packet: where each lane is a thread, those of a device's.
template <class L>
inline constexpr int packet_lanes = L::width > 1 ? L::width : packet_width;

/// Bit l is set if the packet's lane l passed true.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_bits(bool mask) {
  return packet_ballot(mask);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_bits(LaneMask<W> mask) {
  return mask.bits();
}

/// The mask whose packet_bits are `bits`; `lane` is the number of the calling thread's lane.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Mask packet_mask(std::uint32_t bits, int lane) {
  if constexpr (L::width == 1) {
    return ((bits >> lane) & 1u) != 0;
  } else {
    return L::Mask::from_bits(bits);
  }
}

/// The number of the packet's lane `lane`, in every lane.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_value(std::uint32_t value, int lane) {
  return packet_broadcast(value, lane);
}
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_value(LaneVector<std::uint32_t, W> value,
                                                       int lane) {
  return value[lane];
}

/// The least and the greatest of a vector's numbers, and their sum; of a device's packet, see
/// packet_reduction.hpp.
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

/// The lanes' own numbers; `lane` is the calling thread's.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Index lane_numbers(int lane) {
  if constexpr (L::width == 1) {
    return static_cast<std::uint32_t>(lane);
  } else {
    typename L::Index numbers;
    for (int l = 0; l < L::width; ++l) numbers.set(l, static_cast<std::uint32_t>(l));
    return numbers;
  }
}

/// For each lane how many of `bits` are of lanes before it: its place, if those whose bits are set
/// stand in a row.
template <class L>
KOKKOS_FORCEINLINE_FUNCTION typename L::Index lane_ranks(std::uint32_t bits, int lane) {
  if constexpr (L::width == 1) {
    return static_cast<std::uint32_t>(Kokkos::popcount(bits & ((1u << lane) - 1u)));
  } else {
    typename L::Index ranks;
    std::uint32_t before = 0;
    for (int l = 0; l < L::width; ++l) {
      ranks.set(l, before);
      before += (bits >> l) & 1u;
    }
    return ranks;
  }
}

/// Of `bits`, which are not 0, the lowest; and `bits` without it. (Kokkos::countr_zero may be used
/// in constant expressions, and takes some 30 instructions of a GPU for that.)
KOKKOS_FORCEINLINE_FUNCTION int lowest_lane(std::uint32_t bits) {
  return Kokkos::Experimental::countr_zero_builtin(bits);
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t without_lowest(std::uint32_t bits) {
  return bits & (bits - 1u);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lanes_in(std::uint32_t bits) {
  return static_cast<std::uint32_t>(Kokkos::popcount(bits));
}

}  // namespace copse
