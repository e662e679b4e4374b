#pragma once
/// \file
/// A packet: the lanes of a device that run in lockstep (a CUDA warp), and its warp-level
/// operations. Kokkos has reductions and scans over teams but no ballot; only this file uses
/// intrinsics for that.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Lanes in a packet on devices.
inline constexpr int packet_width = 32;

/// Bit l of the result is set if lane l of the calling packet passed true. Every lane of the packet
/// must call it. Device code only; on a host, packets have one lane.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_ballot(bool value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((return __ballot_sync(0xffffffffu, value);))
#endif
  KOKKOS_IF_ON_HOST((return value ? 1u : 0u;))
}

/// A bit mask of the lanes whose value has the same lowest `bits` bits as this lane's. Every lane
/// of the packet must call it. One ballot per bit, which is cheaper than the match instruction for
/// few bits.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_match(std::uint32_t value, int bits) {
  std::uint32_t same = ~std::uint32_t{0};
  for (int b = 0; b < bits; ++b) {
    const bool set = (value >> b) & 1;
    const std::uint32_t mask = packet_ballot(set);
    same &= set ? mask : ~mask;
  }
  return same;
}

/// The value of lane `lane`. Every lane of the packet must call it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T packet_broadcast(T value, int lane) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((return __shfl_sync(0xffffffffu, value, lane);))
#endif
  KOKKOS_IF_ON_HOST(((void)lane; return value;))
}

/// The sum of the values of this lane and all lower lanes. Every lane of the packet must call it.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_inclusive_sum(std::uint32_t value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = 1; step < packet_width; step *= 2) {
    const std::uint32_t before = __shfl_up_sync(0xffffffffu, value, step);
    if (static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y) % packet_width >= step)
      value += before;
  }))
#endif
  return value;
}

/// Makes the scratch memory writes of a packet's lanes visible to each other. Every lane of the
/// packet must call it.
KOKKOS_FORCEINLINE_FUNCTION void packet_sync() {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((__syncwarp();))
#endif
}

}  // namespace copse
