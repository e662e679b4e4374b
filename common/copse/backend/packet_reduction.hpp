#pragma once
/// \file
/// Reductions over the lanes of a packet.

#include <copse/backend/packet.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The least of the packet's values, in every lane. Every lane of the packet must call it.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_min(std::uint32_t value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = packet_width / 2; step > 0; step /= 2) {
    const std::uint32_t other = __shfl_xor_sync(0xffffffffu, value, step);
    if (other < value) value = other;
  }))
#endif
  return value;
}

}  // namespace copse
