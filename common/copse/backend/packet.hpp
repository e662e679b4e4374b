#pragma once
/// \file
/// A packet: the lanes of a device that run in lockstep (a CUDA warp), and what they can ask each
/// other. Kokkos has reductions and scans over teams but no ballot; this is the one place that
/// fills the gap with an intrinsic.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Lanes in a packet on devices.
inline constexpr int packet_width = 32;

/// Bit l of the result is set if lane l of the calling packet passed true. Every lane of the packet
/// must call it. Device code only; a host has packets of one lane.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_ballot(bool value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((return __ballot_sync(0xffffffffu, value);))
#endif
  KOKKOS_IF_ON_HOST((return value ? 1u : 0u;))
}

}  // namespace copse
