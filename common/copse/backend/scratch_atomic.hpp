#pragma once
/// \file
/// Counters in a team's scratch memory that its threads raise together.
///
/// Kokkos::atomic_add (5.0) writes its device instruction out, for an address that may be anywhere:
/// nvcc cannot see that a counter is in shared memory and has no way to use the instructions for
/// that, of which the one that adds 1 serves all lanes of a packet that want the same counter at
/// once. CUDA's own function is transparent to it.
///
/// Among the threads of one team only; nothing around an access is ordered.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Adds to a counter of this team's; returns what it was. Unless that is looked at, it costs
/// nothing.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scratch_fetch_add(std::uint32_t* counter,
                                                            std::uint32_t value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((return atomicAdd(counter, value);))
  KOKKOS_IF_ON_HOST((return Kokkos::atomic_fetch_add(counter, value);))
#else
  return Kokkos::atomic_fetch_add(counter, value);
#endif
}

KOKKOS_FORCEINLINE_FUNCTION void scratch_add(std::uint32_t* counter, std::uint32_t value) {
  scratch_fetch_add(counter, value);
}

/// There is no such instruction for 64 bits.
KOKKOS_FORCEINLINE_FUNCTION void scratch_add(std::uint64_t* counter, std::uint64_t value) {
  Kokkos::atomic_add(counter, value);
}

}  // namespace copse
