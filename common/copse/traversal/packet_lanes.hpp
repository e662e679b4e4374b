#pragma once
/// \file
/// What the lanes of a packet agree on: over the threads of a GPU's packet by ballots, over the
/// lanes of a host's vector by its mask.
///
/// Every lane of a packet must call these together.

#include <copse/backend/lanes.hpp>
#include <copse/backend/packet.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

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

/// Of `bits`, which are not 0, the lowest; and `bits` without it.
KOKKOS_FORCEINLINE_FUNCTION int lowest_lane(std::uint32_t bits) {
  return Kokkos::countr_zero(bits);
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t without_lowest(std::uint32_t bits) {
  return bits & (bits - 1u);
}

KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lanes_in(std::uint32_t bits) {
  return static_cast<std::uint32_t>(Kokkos::popcount(bits));
}

}  // namespace copse
