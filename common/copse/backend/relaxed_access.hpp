#pragma once
/// \file
/// One number that several threads read and change: a read that is a load, a write that is a store.
///
/// Kokkos::atomic_load and atomic_store (5.0) are loops of compare-and-swap on every backend, so a
/// reader writes: on a GPU all who look at one word queue for it in L2, 32 threads of a warp one
/// after the other, on a host they take its cache line from each other. The accesses here are
/// whole, seen sooner or later by all, and order nothing around them.
///
/// Device loads are volatile, which L2 answers: an L1 cache might keep an old value for as long as
/// the kernel runs.

#include <Kokkos_Core.hpp>

#include <atomic>
#include <type_traits>

namespace copse {

/// What `from` holds now or held a moment ago.
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
