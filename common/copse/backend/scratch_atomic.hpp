#pragma once
/// \file
/// Counters in a team's scratch memory that its threads increment concurrently.
///
/// Kokkos::atomic_add (5.0) contains a device instruction for generic addresses: nvcc cannot see
/// that a counter is in shared memory and cannot use the shared-memory instructions, one of which
/// adds 1 for all lanes of a packet with the same counter at once. The compiler understands CUDA's
/// own function.
///
/// Only for threads of one team; accesses around it are not ordered.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Adds to a counter of this team and returns its previous value, which costs nothing if unused.
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

/// The shared-memory instructions named above have 32 bits; 64 bits take Kokkos' own atomic.
KOKKOS_FORCEINLINE_FUNCTION void scratch_add(std::uint64_t* counter, std::uint64_t value) {
  Kokkos::atomic_add(counter, value);
}

}  // namespace copse
