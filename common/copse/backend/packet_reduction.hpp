#pragma once
/// \file
/// Reductions over the lanes of a packet. Every lane of the packet must call them. On a host, where
/// packets are vectors, they return the calling thread's value.

#include <copse/backend/packet.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The calling thread's lane in its packet; 0 on a host.
KOKKOS_FORCEINLINE_FUNCTION int packet_lane() {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE(
      (return static_cast<int>(threadIdx.x + blockDim.x * threadIdx.y) % packet_width;))
#endif
  KOKKOS_IF_ON_HOST((return 0;))
}

/// The minimum of the packet's values, in every lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T packet_min(T value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = packet_width / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(0xffffffffu, value, step);
    if (other < value) value = other;
  }))
#endif
  return value;
}

/// The maximum of the packet's values, in every lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T packet_max(T value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = packet_width / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(0xffffffffu, value, step);
    if (other > value) value = other;
  }))
#endif
  return value;
}

/// The sum of the packet's values, in every lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T packet_sum(T value) {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = packet_width / 2; step > 0; step /= 2) value +=
                       __shfl_xor_sync(0xffffffffu, value, step);))
#endif
  return value;
}

/// For 32-bit integers each reduction is one instruction from compute capability 8.0 on.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_min(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffffu, value);
#else
  return packet_min<std::uint32_t>(value);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_max(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, value);
#else
  return packet_max<std::uint32_t>(value);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_sum(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, value);
#else
  return packet_sum<std::uint32_t>(value);
#endif
}

/// The bits that any lane of the packet has set, in every lane.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t packet_or(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xffffffffu, value);
#elif defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((for (int step = packet_width / 2; step > 0; step /= 2) value |=
                       __shfl_xor_sync(0xffffffffu, value, step);))
  return value;
#else
  return value;
#endif
}

}  // namespace copse
