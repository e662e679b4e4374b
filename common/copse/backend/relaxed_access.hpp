#pragma once
/// \file
/// Relaxed atomic load and store of one number that several threads access.
///
/// Kokkos::atomic_load and atomic_store (5.0) are compare-and-swap loops on every backend, so
/// reading also writes: on a GPU, all threads that read one word, even the 32 of one warp, are
/// serialised in L2; on a host they steal the cache line from each other. The accesses here do not
/// tear, become visible to all threads eventually, and do not order other accesses.
///
/// Device loads are volatile and served by L2: an L1 cache might return an old value for as long as
/// the kernel runs.

#include <Kokkos_Core.hpp>

#include <atomic>
#include <type_traits>

namespace copse {

/// The value of `from`, possibly slightly out of date.
template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION T relaxed_load(const T* from) {
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile T*>(from);))
  KOKKOS_IF_ON_HOST(
      (return std::atomic_ref<T>(*const_cast<T*>(from)).load(std::memory_order_relaxed);))
}

template <class T>
requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION void relaxed_store(
    T* to, std::type_identity_t<T> value) {
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile T*>(to) = value;))
  KOKKOS_IF_ON_HOST((std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);))
}

}  // namespace copse
