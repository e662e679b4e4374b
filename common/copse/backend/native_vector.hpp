#pragma once
/// \file
/// One register of numbers, as wide as the processor's (see lane_vector.hpp), for loops over arrays
/// that need no fixed number of lanes. For hosts.

#include <copse/backend/lane_vector.hpp>

// As in lane_vector.hpp.
#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace copse {

template <class T>
using NativeVector = detail::Register<T>;
template <class T>
inline constexpr int native_lanes = detail::register_lanes<T>;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> load_native(const T* from) {
  return NativeVector<T>(from, Kokkos::Experimental::simd_flag_default);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_native(T* to, const NativeVector<T>& values) {
  Kokkos::Experimental::simd_unchecked_store(values, to, Kokkos::Experimental::simd_flag_default);
}

/// Bit l of the result is lane l.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t native_bits(const detail::RegisterMask<T>& mask) {
  return detail::bits_of<T>(mask);
}

/// a < b ? a : b, a > b ? a : b: of a NaN and another number, the second.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_min(const NativeVector<T>& a,
                                                       const NativeVector<T>& b) {
  if constexpr (detail::minimum_is_a_selection)
    return Kokkos::min(a, b);
  else
    return condition(a < b, a, b);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_max(const NativeVector<T>& a,
                                                       const NativeVector<T>& b) {
  if constexpr (detail::minimum_is_a_selection)
    return Kokkos::max(a, b);
  else
    return condition(a > b, a, b);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_abs(const NativeVector<T>& a) {
  return Kokkos::abs(a);
}

}  // namespace copse

#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
