#pragma once
/// \file
/// One register of numbers, as wide as the processor's, and its mask. For hosts: for loops over
/// arrays that need no fixed number of lanes, and for packets (lane_vector.hpp).
///
/// A register is a vector of Kokkos SIMD. Its ABI is named here, because the default ABI has a
/// single lane in a build with CUDA.
///
/// | processor | register |
/// |---|---|
/// | AVX-512 | 64 bytes |
/// | AVX2 with FMA | 32 bytes |
/// | NEON on 64-bit ARM | 16 bytes |
/// | others | one number |
///
/// Three things are missing in Kokkos SIMD 5.0 and are written here: the bits of a mask, a cheap
/// conversion between masks of different types, and unsigned 32-bit numbers for AVX2 and NEON. Its
/// AVX-512 operators > and >= of doubles swap their operands, so only < and <= are used. A register
/// is one number in nvcc's device pass, which never calls these functions. On ARM it is one number
/// in all code that nvcc compiles, because Kokkos has no NEON there.

#include <Kokkos_Core.hpp>

#if defined(__CUDA_ARCH__)
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define COPSE_LANES_AVX512
#include <Kokkos_SIMD_AVX512.hpp>
#elif defined(__AVX2__) && defined(__FMA__)
#define COPSE_LANES_AVX2
#include <Kokkos_SIMD_AVX2.hpp>
#elif defined(__ARM_NEON) && defined(__aarch64__) && !defined(__CUDACC__)
#define COPSE_LANES_NEON
#include <Kokkos_SIMD_NEON.hpp>
#endif
#include <Kokkos_SIMD.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

// GCC 12 warns of variables that its own header leaves undefined on purpose.
#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace copse {

namespace detail {

#if defined(COPSE_LANES_AVX512)
template <class T>
using Register = Kokkos::Experimental::basic_simd<
    T, Kokkos::Experimental::simd_abi::avx512_fixed_size<64 / sizeof(T)>>;
#elif defined(COPSE_LANES_AVX2)
template <class T>
using Register = Kokkos::Experimental::basic_simd<
    std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int32_t, T>,
    Kokkos::Experimental::simd_abi::avx2_fixed_size<32 / sizeof(T)>>;
#elif defined(COPSE_LANES_NEON)
template <class T>
using Register = Kokkos::Experimental::basic_simd<
    std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int32_t, T>,
    Kokkos::Experimental::simd_abi::neon_fixed_size<16 / sizeof(T)>>;
#else
template <class T>
using Register = Kokkos::Experimental::basic_simd<T, Kokkos::Experimental::simd_abi::scalar>;
#endif

template <class T>
inline constexpr int register_lanes = static_cast<int>(Register<T>::size());
template <class T>
using RegisterMask = typename Register<T>::mask_type;

#if defined(COPSE_LANES_NEON)
/// In each lane of a register the bit of that lane.
template <class T>
auto lane_bits() {
  if constexpr (sizeof(T) == 4) {
    return uint32x4_t{1, 2, 4, 8};
  } else {
    return uint64x2_t{1, 2};
  }
}
#endif

/// The bits of a register's mask, and the mask that has these lowest bits.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits_of(const RegisterMask<T>& mask) {
#if defined(COPSE_LANES_AVX512)
  auto bits = static_cast<std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>>(mask);
#if defined(__GNUC__) && !defined(__clang__)
  // GCC 12 merges a comparison with the extension of its mask to 32 bits. If GCC then keeps the
  // result on the stack, it stores 8 or 16 bits and loads 32. This empty asm prevents the merge.
  asm("" : "+k"(bits));
#endif
  return bits;
#elif defined(COPSE_LANES_AVX2)
  if constexpr (sizeof(T) == 4) {
    return static_cast<std::uint32_t>(
        _mm256_movemask_ps(static_cast<__m256>(RegisterMask<float>(mask))));
  } else {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(static_cast<__m256d>(mask)));
  }
#elif defined(COPSE_LANES_NEON)
  if constexpr (sizeof(T) == 4) {
    return vaddvq_u32(vandq_u32(static_cast<uint32x4_t>(mask), lane_bits<T>()));
  } else {
    const uint64x2_t bits = vandq_u64(static_cast<uint64x2_t>(mask), lane_bits<T>());
    return static_cast<std::uint32_t>(vaddvq_u64(bits));
  }
#else
  return static_cast<bool>(mask) ? 1u : 0u;
#endif
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION RegisterMask<T> mask_of(std::uint32_t bits) {
#if defined(COPSE_LANES_AVX512)
  return RegisterMask<T>(
      static_cast<std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>>(bits));
#elif defined(COPSE_LANES_AVX2)
  // Shifts the bit of each lane into the sign.
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  const Register<Integer> places(
      [](std::size_t lane) { return static_cast<Integer>(8 * sizeof(T) - 1 - lane); });
  return RegisterMask<T>(Register<Integer>(0) >
                         (Register<Integer>(static_cast<Integer>(bits)) << places));
#elif defined(COPSE_LANES_NEON)
  if constexpr (sizeof(T) == 4) {
    return RegisterMask<T>(vtstq_u32(vdupq_n_u32(bits), lane_bits<T>()));
  } else {
    return RegisterMask<T>(vtstq_u64(vdupq_n_u64(bits), lane_bits<T>()));
  }
#else
  return RegisterMask<T>((bits & 1u) != 0);
#endif
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION RegisterMask<T> is_less(const Register<T>& a, const Register<T>& b) {
#if defined(COPSE_LANES_AVX2) || defined(COPSE_LANES_NEON)
  if constexpr (std::is_same_v<T, std::uint32_t>) {
    const Register<T> flip(std::numeric_limits<std::int32_t>::min());
    return b + flip > a + flip;
  } else
#endif
    return a < b;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION RegisterMask<T> is_at_most(const Register<T>& a, const Register<T>& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a <= b;
  } else {
    return !is_less<T>(b, a);
  }
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION RegisterMask<T> is_equal(const Register<T>& a, const Register<T>& b) {
  return a == b;
}

}  // namespace detail

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

/// a < b ? a : b and a > b ? a : b in each lane; b if either is NaN. NEON's own instructions would
/// return the NaN.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_min(const NativeVector<T>& a,
                                                       const NativeVector<T>& b) {
#if defined(COPSE_LANES_AVX512) || defined(COPSE_LANES_AVX2)
  if constexpr (std::is_floating_point_v<T>)
    return Kokkos::min(a, b);
  else
#endif
    return condition(detail::is_less<T>(a, b), a, b);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_max(const NativeVector<T>& a,
                                                       const NativeVector<T>& b) {
#if defined(COPSE_LANES_AVX512) || defined(COPSE_LANES_AVX2)
  if constexpr (std::is_floating_point_v<T>)
    return Kokkos::max(a, b);
  else
#endif
    return condition(detail::is_less<T>(b, a), a, b);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION NativeVector<T> native_abs(const NativeVector<T>& a) {
  return Kokkos::abs(a);
}

}  // namespace copse

#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
