#pragma once
/// \file
/// Vectors of W numbers and their masks, for packets on hosts (see lanes.hpp).
///
/// A vector is stored in one or several registers of the processor's width. Operators work lane by
/// lane, so results do not depend on that width. A register is a vector of Kokkos SIMD. Its ABI is
/// named here, because the default ABI has a single lane in a build with CUDA.
///
/// | processor | register | mask of W lanes |
/// |---|---|---|
/// | AVX-512 | 64 bytes | one bit per lane |
/// | AVX2 with FMA | 32 bytes | 32 bits per lane, in registers |
/// | NEON on 64-bit ARM | 16 bytes | one bit per lane |
/// | others | one number | one bit per lane |
///
/// Three things are missing in Kokkos SIMD 5.0 and are written here: the bits of a mask, a cheap
/// conversion between masks of different types, and unsigned 32-bit numbers for AVX2 and NEON. Its
/// AVX-512 operators > and >= of doubles swap their operands, so only < and <= are used. In nvcc's
/// device pass, which never calls these functions, a register is one number; so it is on ARM in all
/// that nvcc compiles, as Kokkos has no NEON there.

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
  // GCC 12 merges a comparison with the extension of its mask to 32 bits. If it then keeps the
  // result on the stack, it stores 8 or 16 bits and loads 32. No instruction, but no merging.
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

/// Does the minimum of two registers return the second if one number is a NaN? NEON's returns the
/// NaN.
#if defined(COPSE_LANES_AVX512) || defined(COPSE_LANES_AVX2)
inline constexpr bool minimum_is_a_selection = true;
#else
inline constexpr bool minimum_is_a_selection = false;
#endif

/// What masks are stored in: one integer with a bit per lane, or a register for every 8 lanes.
#if defined(COPSE_LANES_AVX2)
template <int W>
using MaskWord = __m256i;
template <int W>
inline constexpr int mask_words = W / 8;
#else
template <int W>
using MaskWord = std::conditional_t<W <= 16, std::uint16_t, std::uint32_t>;
template <int W>
inline constexpr int mask_words = 1;
#endif

}  // namespace detail

/// A subset of W lanes.
template <int W>
struct LaneMask {
  using Word = detail::MaskWord<W>;
  static constexpr int words = detail::mask_words<W>;
  static constexpr int word_lanes = W / words;
  Word v[words]{};

  LaneMask() = default;
  /// All lanes or none.
  KOKKOS_FORCEINLINE_FUNCTION LaneMask(bool all) { *this = from_bits(all ? ~0u : 0u); }

  /// Lane l is set if bit l is set.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask from_bits(std::uint32_t bits) {
    LaneMask mask;
#if defined(COPSE_LANES_AVX2)
    for (int w = 0; w < words; ++w)
      mask.v[w] = static_cast<__m256i>(detail::mask_of<std::uint32_t>(bits >> word_lanes * w));
#else
    mask.v[0] = static_cast<Word>(bits);
#endif
    return mask;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits() const {
    std::uint32_t bits = 0;
    for (int w = 0; w < words; ++w) bits |= word_bits(w) << word_lanes * w;
    return bits;
  }
  /// The bits of the lanes in one word.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t word_bits(int w) const {
#if defined(COPSE_LANES_AVX2)
    return detail::bits_of<std::uint32_t>(detail::RegisterMask<std::uint32_t>(v[w]));
#else
    return v[w];
#endif
  }

  /// The mask of register r of a LaneVector<T, W>.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION detail::RegisterMask<T> part(int r) const {
#if defined(COPSE_LANES_AVX2)
    if constexpr (sizeof(T) == 4)
      return detail::RegisterMask<T>(detail::RegisterMask<std::uint32_t>(v[r]));
    else
#endif
      return detail::mask_of<T>(bits() >> detail::register_lanes<T> * r);
  }
  /// Adds the lanes of register r, which must not be set yet.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void add_part(int r, const detail::RegisterMask<T>& mask) {
#if defined(COPSE_LANES_AVX2)
    if constexpr (sizeof(T) == 4)
      v[r] = static_cast<__m256i>(detail::RegisterMask<std::uint32_t>(mask));
    else
#endif
      *this = *this | from_bits(detail::bits_of<T>(mask) << detail::register_lanes<T> * r);
  }

  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator&(LaneMask a, const LaneMask& b) {
    for (int w = 0; w < words; ++w) a.v[w] = static_cast<Word>(a.v[w] & b.v[w]);
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator|(LaneMask a, const LaneMask& b) {
    for (int w = 0; w < words; ++w) a.v[w] = static_cast<Word>(a.v[w] | b.v[w]);
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator!(LaneMask a) {
    for (int w = 0; w < words; ++w) a.v[w] = static_cast<Word>(~a.v[w]);
    return a;
  }
};

/// One number per lane, W lanes.
template <class T, int W>
struct LaneVector {
  using Register = detail::Register<T>;
  using Mask = LaneMask<W>;
  static constexpr int registers = W / detail::register_lanes<T>;
  typedef T __attribute__((may_alias)) Lane;  ///< what registers may be accessed as
  Register v[registers]{};

  LaneVector() = default;
  /// The same number in every lane.
  template <class U>
  requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector(U all) {
    for (Register& part : v) part = Register(static_cast<typename Register::value_type>(all));
  }
  /// `number(lane)` in each lane.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static LaneVector of(const Number& number) {
    LaneVector all;
    for (int r = 0; r < registers; ++r)
      all.v[r] = Register([&](std::size_t lane) {
        return static_cast<typename Register::value_type>(
            number(r * detail::register_lanes<T> + static_cast<int>(lane)));
      });
    return all;
  }

  KOKKOS_FORCEINLINE_FUNCTION T operator[](int lane) const {
    return reinterpret_cast<const Lane*>(v)[lane];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int lane, T value) {
    reinterpret_cast<Lane*>(v)[lane] = value;
  }

#define COPSE_LANE_OPERATOR(op)                                                                  \
  KOKKOS_FORCEINLINE_FUNCTION friend LaneVector operator op(LaneVector a, const LaneVector& b) { \
    for (int r = 0; r < registers; ++r) a.v[r] = a.v[r] op b.v[r];                               \
    return a;                                                                                    \
  }                                                                                              \
  KOKKOS_FORCEINLINE_FUNCTION LaneVector& operator op##=(const LaneVector& b) {                  \
    return *this = *this op b;                                                                   \
  }
  COPSE_LANE_OPERATOR(+)
  COPSE_LANE_OPERATOR(-)
  COPSE_LANE_OPERATOR(*)
  COPSE_LANE_OPERATOR(/)
#undef COPSE_LANE_OPERATOR

#define COPSE_LANE_COMPARISON(op, compare, x, y)                                                  \
  KOKKOS_FORCEINLINE_FUNCTION friend Mask operator op(const LaneVector& a, const LaneVector& b) { \
    Mask mask;                                                                                    \
    for (int r = 0; r < registers; ++r)                                                           \
      mask.template add_part<T>(r, detail::compare<T>(x.v[r], y.v[r]));                           \
    return mask;                                                                                  \
  }
  COPSE_LANE_COMPARISON(<, is_less, a, b)
  COPSE_LANE_COMPARISON(<=, is_at_most, a, b)
  COPSE_LANE_COMPARISON(>, is_less, b, a)
  COPSE_LANE_COMPARISON(>=, is_at_most, b, a)
  COPSE_LANE_COMPARISON(==, is_equal, a, b)
#undef COPSE_LANE_COMPARISON
};

template <int W>
KOKKOS_FORCEINLINE_FUNCTION bool any(LaneMask<W> mask) {
  for (int w = 1; w < mask.words; ++w) mask.v[0] |= mask.v[w];
  return mask.word_bits(0) != 0;
}

/// Selects `yes` in lanes where the mask is set, else `no`.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(const LaneMask<W>& mask,
                                                    const LaneVector<T, W>& yes,
                                                    LaneVector<T, W> no) {
  for (int r = 0; r < no.registers; ++r)
    no.v[r] = condition(mask.template part<T>(r), yes.v[r], no.v[r]);
  return no;
}
template <class T, int W, class U>
requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(
    const LaneMask<W>& mask, const LaneVector<T, W>& yes, U no) {
  return select(mask, yes, LaneVector<T, W>(no));
}
template <class T, int W, class U>
requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(
    const LaneMask<W>& mask, U yes, const LaneVector<T, W>& no) {
  return select(mask, LaneVector<T, W>(yes), no);
}

/// a < b ? a : b, a > b ? a : b: of a NaN and another number, the second.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_min(LaneVector<T, W> a,
                                                      const LaneVector<T, W>& b) {
  if constexpr (std::is_floating_point_v<T> && detail::minimum_is_a_selection) {
    for (int r = 0; r < a.registers; ++r) a.v[r] = Kokkos::min(a.v[r], b.v[r]);
    return a;
  } else {
    return select(a < b, a, b);
  }
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_max(LaneVector<T, W> a,
                                                      const LaneVector<T, W>& b) {
  if constexpr (std::is_floating_point_v<T> && detail::minimum_is_a_selection) {
    for (int r = 0; r < a.registers; ++r) a.v[r] = Kokkos::max(a.v[r], b.v[r]);
    return a;
  } else {
    return select(a > b, a, b);
  }
}

/// a * b + c, rounded once.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_fma(const LaneVector<T, W>& a,
                                                      const LaneVector<T, W>& b,
                                                      LaneVector<T, W> c) {
  for (int r = 0; r < c.registers; ++r) c.v[r] = Kokkos::fma(a.v[r], b.v[r], c.v[r]);
  return c;
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_sqrt(LaneVector<T, W> a) {
  for (auto& part : a.v) part = Kokkos::sqrt(part);
  return a;
}
/// 1 / sqrt(a), see lanes.hpp. The processor's 14-bit estimate plus a Newton step takes the same
/// time in Barnes-Hut walks (measured with AVX-512 on an EPYC): roots and divisions have their own
/// execution unit.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_rsqrt(const LaneVector<T, W>& a) {
  return LaneVector<T, W>(1) / lane_sqrt(a);
}

/// The elements of an array at the lanes' indices.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> gather(const T* from,
                                                    const LaneVector<std::uint32_t, W>& at) {
  return LaneVector<T, W>::of([&](int lane) { return from[at[lane]]; });
}
/// W consecutive elements of an array.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> load_lanes(const T* from) {
  LaneVector<T, W> values;
  using Number = typename LaneVector<T, W>::Register::value_type;
  for (int r = 0; r < values.registers; ++r)
    values.v[r] = typename LaneVector<T, W>::Register(
        reinterpret_cast<const Number*>(from) + detail::register_lanes<T> * r,
        Kokkos::Experimental::simd_flag_default);
  return values;
}
/// Writes the lanes in `mask` to the array at their indices, which must be distinct.
template <class T, class U, int W>
KOKKOS_FORCEINLINE_FUNCTION void scatter(T* to, const LaneVector<std::uint32_t, W>& at,
                                         const LaneVector<U, W>& values, const LaneMask<W>& mask) {
  const std::uint32_t bits = mask.bits();
  for (int l = 0; l < W; ++l)
    if ((bits >> l) & 1u) to[at[l]] = static_cast<T>(values[l]);
}

}  // namespace copse

#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
