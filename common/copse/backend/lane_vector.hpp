#pragma once
/// \file
/// Vectors of W numbers and their masks, for packets on hosts (see lanes.hpp).
///
/// Operators work lane by lane. The storage is the vector type of GCC and Clang, so every width
/// compiles for every processor. AVX-512 has masks of one bit per lane, which no compiler generates
/// for comparisons whose result is stored. Therefore this is one of the two files with CPU
/// intrinsics (the other is algorithms/split_rows.hpp); without AVX-512, vectors of integers
/// give the same results. In nvcc's device pass, which has no vectors and never calls these
/// functions, they only need to be declared.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && !defined(__CUDACC__)
#define COPSE_LANES_AVX512
#include <immintrin.h>
#endif

#if defined(__CUDA_ARCH__)
#define COPSE_ON_LANES(...) \
  return {}
#else
#define COPSE_ON_LANES(...) __VA_ARGS__
#endif

namespace copse {

namespace detail {

#if defined(__CUDA_ARCH__)
template <class T, int W>
struct LaneStorage {
  struct alignas(sizeof(T) * W) type {
    T lane[W];
    KOKKOS_FUNCTION T& operator[](int l) { return lane[l]; }
    KOKKOS_FUNCTION const T& operator[](int l) const { return lane[l]; }
  };
};
#else
template <class T, int W>
struct LaneStorage {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
#endif

/// Masks of one bit per lane go with vectors of floats and 32-bit integers that fill a register.
template <int W>
inline constexpr bool bit_masks =
#if defined(COPSE_LANES_AVX512)
    W == 16;
#else
    false;
#endif

}  // namespace detail

/// A subset of W lanes.
template <int W>
struct LaneMask {
  using Bits = std::conditional_t<W <= 16, std::uint16_t, std::uint32_t>;
  using Storage = std::conditional_t<detail::bit_masks<W>, Bits,
                                     typename detail::LaneStorage<std::int32_t, W>::type>;
  static constexpr Bits all_bits = static_cast<Bits>(~Bits{0});
  Storage v{};

  LaneMask() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneMask(Storage from) : v(from) {}
  /// All lanes or none.
  KOKKOS_FORCEINLINE_FUNCTION LaneMask(bool all) { *this = from_bits(all ? all_bits : 0u); }

  /// Lane l is set if bit l is set.
  KOKKOS_FORCEINLINE_FUNCTION static LaneMask from_bits(std::uint32_t bits) {
    LaneMask mask;
    if constexpr (detail::bit_masks<W>) {
      mask.v = static_cast<Storage>(bits);
    } else {
      for (int l = 0; l < W; ++l) mask.v[l] = -static_cast<std::int32_t>((bits >> l) & 1u);
    }
    return mask;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bits() const {
    if constexpr (detail::bit_masks<W>) {
      return v;
    } else {
      std::uint32_t sum = 0;
      for (int l = 0; l < W; ++l) sum |= static_cast<std::uint32_t>(v[l] & 1) << l;
      return sum;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator&(LaneMask a, LaneMask b) {
    COPSE_ON_LANES(return LaneMask(static_cast<Storage>(a.v & b.v)));
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator|(LaneMask a, LaneMask b) {
    COPSE_ON_LANES(return LaneMask(static_cast<Storage>(a.v | b.v)));
  }
  KOKKOS_FORCEINLINE_FUNCTION friend LaneMask operator!(LaneMask a) {
    COPSE_ON_LANES(return LaneMask(static_cast<Storage>(~a.v)));
  }
};

/// One number per lane, W lanes.
template <class T, int W>
struct LaneVector {
  using Storage = typename detail::LaneStorage<T, W>::type;
  using Mask = LaneMask<W>;
  Storage v{};

  LaneVector() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit LaneVector(Storage from) : v(from) {}
  /// The same number in every lane.
  template <class U>
  requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector(U all) {
#if !defined(__CUDA_ARCH__)
    v = static_cast<T>(all) - Storage{};  // -0 stays -0
#else
    (void)all;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION T operator[](int lane) const {
    return v[lane];
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int lane, T value) {
    v[lane] = value;
  }

#define COPSE_LANE_OPERATOR(op)                                                           \
  KOKKOS_FORCEINLINE_FUNCTION friend LaneVector operator op(LaneVector a, LaneVector b) { \
    COPSE_ON_LANES(return LaneVector(a.v op b.v));                                        \
  }                                                                                       \
  KOKKOS_FORCEINLINE_FUNCTION LaneVector& operator op##=(LaneVector b) {                  \
    return *this = *this op b;                                                            \
  }
  COPSE_LANE_OPERATOR(+)
  COPSE_LANE_OPERATOR(-)
  COPSE_LANE_OPERATOR(*)
  COPSE_LANE_OPERATOR(/)
#undef COPSE_LANE_OPERATOR

#define COPSE_LANE_COMPARISON(op, float_code, integer_code)                           \
  KOKKOS_FORCEINLINE_FUNCTION friend Mask operator op(LaneVector a, LaneVector b) {   \
    COPSE_ON_LANES(if constexpr (detail::bit_masks<W> && sizeof(T) == 4) return Mask( \
                       compare_bits<float_code, integer_code>(a, b));                 \
                   else return mask_of(a.v op b.v));                                  \
  }
  COPSE_LANE_COMPARISON(<, 17, 1)
  COPSE_LANE_COMPARISON(<=, 18, 2)
  COPSE_LANE_COMPARISON(>, 30, 6)
  COPSE_LANE_COMPARISON(>=, 29, 5)
  COPSE_LANE_COMPARISON(==, 0, 0)
#undef COPSE_LANE_COMPARISON

 private:
#if !defined(__CUDA_ARCH__)
#if defined(COPSE_LANES_AVX512)
  /// The codes select the comparison instruction.
  template <int FloatCode, int IntegerCode>
  static typename Mask::Storage compare_bits(LaneVector a, LaneVector b) {
    if constexpr (std::is_same_v<T, float>) {
      return _mm512_cmp_ps_mask(a.v, b.v, FloatCode);
    } else {
      return _mm512_cmp_epu32_mask(reinterpret_cast<__m512i>(a.v), reinterpret_cast<__m512i>(b.v),
                                   IntegerCode);
    }
  }
#else
  template <int FloatCode, int IntegerCode>
  static typename Mask::Storage compare_bits(LaneVector, LaneVector) {
    return {};
  }
#endif
  /// From the result of a vector comparison: integers of all ones or zero.
  template <class Compared>
  static Mask mask_of(Compared compared) {
    using Wide = typename detail::LaneStorage<std::int32_t, W>::type;
    const Wide wide = __builtin_convertvector(compared, Wide);
#if defined(COPSE_LANES_AVX512)
    if constexpr (detail::bit_masks<W>)
      return Mask(static_cast<typename Mask::Storage>(
          _mm512_movepi32_mask(reinterpret_cast<__m512i>(wide))));
    else
#endif
      return Mask(wide);
  }
#endif
};

template <int W>
KOKKOS_FORCEINLINE_FUNCTION bool any(LaneMask<W> mask) {
  return mask.bits() != 0;
}
/// Bit l of the result is lane l.
template <int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t lane_bits(LaneMask<W> mask) {
  return mask.bits();
}

/// Selects `yes` in lanes where the mask is set, else `no`.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(LaneMask<W> mask, LaneVector<T, W> yes,
                                                    LaneVector<T, W> no) {
#if defined(__CUDA_ARCH__)
  return {};
#else
#if defined(COPSE_LANES_AVX512)
  if constexpr (detail::bit_masks<W> && sizeof(T) == 4)
    return LaneVector<T, W>(
        reinterpret_cast<typename LaneVector<T, W>::Storage>(_mm512_mask_blend_epi32(
            mask.v, reinterpret_cast<__m512i>(no.v), reinterpret_cast<__m512i>(yes.v))));
#endif
  using Integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using Wide = typename detail::LaneStorage<Integer, W>::type;
  Wide wide;
  if constexpr (detail::bit_masks<W>) {
    for (int l = 0; l < W; ++l) wide[l] = -static_cast<Integer>((mask.v >> l) & 1);
  } else {
    wide = __builtin_convertvector(mask.v, Wide);
  }
  return LaneVector<T, W>(wide ? yes.v : no.v);
#endif
}
template <class T, int W, class U>
requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(
    LaneMask<W> mask, LaneVector<T, W> yes, U no) {
  return select(mask, yes, LaneVector<T, W>(no));
}
template <class T, int W, class U>
requires std::is_arithmetic_v<U> KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> select(
    LaneMask<W> mask, U yes, LaneVector<T, W> no) {
  return select(mask, LaneVector<T, W>(yes), no);
}

#if defined(COPSE_LANES_AVX512)
namespace detail {
/// For the masked forms of the instructions: GCC 12 warns inside its own headers about the others.
inline constexpr __mmask16 all_lanes = 0xffff;
}  // namespace detail
#endif

template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_min(LaneVector<T, W> a, LaneVector<T, W> b) {
#if defined(COPSE_LANES_AVX512)
  if constexpr (std::is_same_v<T, float> && W == 16)
    return LaneVector<T, W>(_mm512_maskz_min_ps(detail::all_lanes, a.v, b.v));
#endif
  COPSE_ON_LANES(return LaneVector<T, W>(a.v < b.v ? a.v : b.v));
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_max(LaneVector<T, W> a, LaneVector<T, W> b) {
#if defined(COPSE_LANES_AVX512)
  if constexpr (std::is_same_v<T, float> && W == 16)
    return LaneVector<T, W>(_mm512_maskz_max_ps(detail::all_lanes, a.v, b.v));
#endif
  COPSE_ON_LANES(return LaneVector<T, W>(a.v > b.v ? a.v : b.v));
}

/// a * b + c, rounded once.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_fma(LaneVector<T, W> a, LaneVector<T, W> b,
                                                      LaneVector<T, W> c) {
#if defined(COPSE_LANES_AVX512)
  if constexpr (std::is_same_v<T, float> && W == 16)
    return LaneVector<T, W>(_mm512_fmadd_ps(a.v, b.v, c.v));
#endif
  LaneVector<T, W> sum;
  for (int l = 0; l < W; ++l) sum.v[l] = std::fma(a.v[l], b.v[l], c.v[l]);
  return sum;
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_sqrt(LaneVector<T, W> a) {
#if defined(COPSE_LANES_AVX512)
  if constexpr (std::is_same_v<T, float> && W == 16)
    return LaneVector<T, W>(_mm512_maskz_sqrt_ps(detail::all_lanes, a.v));
#endif
  LaneVector<T, W> root;
  for (int l = 0; l < W; ++l) root.v[l] = std::sqrt(a.v[l]);
  return root;
}
/// 1 / sqrt(a), see lanes.hpp. The processor's 14-bit estimate plus a Newton step takes the same
/// time in Barnes-Hut walks (measured with AVX-512 on an EPYC): roots and divisions have their own
/// execution unit.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_rsqrt(LaneVector<T, W> a) {
  return LaneVector<T, W>(1) / lane_sqrt(a);
}

/// The elements of an array at the lanes' indices.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> gather(const T* from,
                                                    LaneVector<std::uint32_t, W> at) {
  LaneVector<T, W> values;
  for (int l = 0; l < W; ++l) values.v[l] = from[at.v[l]];
  return values;
}
/// W consecutive elements of an array.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> load_lanes(const T* from) {
  LaneVector<T, W> values;
  std::memcpy(&values.v, from, sizeof(values.v));
  return values;
}
/// Writes the lanes in `mask` to the array at their indices, which must be distinct.
template <class T, class U, int W>
KOKKOS_FORCEINLINE_FUNCTION void scatter(T* to, LaneVector<std::uint32_t, W> at,
                                         LaneVector<U, W> values, LaneMask<W> mask) {
  const std::uint32_t bits = mask.bits();
  for (int l = 0; l < W; ++l)
    if ((bits >> l) & 1u) to[at.v[l]] = static_cast<T>(values.v[l]);
}

}  // namespace copse

#undef COPSE_ON_LANES
