#pragma once
/// \file
/// Vectors of W numbers and their masks, for packets on hosts (see lanes.hpp).
///
/// A vector is stored in one or several registers of the processor's width (native_vector.hpp).
/// Operators work lane by lane, so results do not depend on that width. A mask of W lanes is
/// stored in 32 bits per lane, in registers, with AVX2, and in one bit per lane elsewhere.

#include <copse/backend/fused.hpp>
#include <copse/backend/native_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

// As in native_vector.hpp.
#if defined(COPSE_LANES_AVX512) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace copse {

namespace detail {

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
  typedef T __attribute__((may_alias)) Lane;  ///< for access to single lanes
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

/// a < b ? a : b and a > b ? a : b in each lane; b if either is NaN.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_min(LaneVector<T, W> a,
                                                      const LaneVector<T, W>& b) {
  for (int r = 0; r < a.registers; ++r) a.v[r] = native_min<T>(a.v[r], b.v[r]);
  return a;
}
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_max(LaneVector<T, W> a,
                                                      const LaneVector<T, W>& b) {
  for (int r = 0; r < a.registers; ++r) a.v[r] = native_max<T>(a.v[r], b.v[r]);
  return a;
}

/// a * b + c, rounded once.
template <class T, int W>
KOKKOS_FORCEINLINE_FUNCTION LaneVector<T, W> lane_fma(const LaneVector<T, W>& a,
                                                      const LaneVector<T, W>& b,
                                                      LaneVector<T, W> c) {
  for (int r = 0; r < c.registers; ++r) {
    if constexpr (detail::register_lanes<T> == 1)
      c.v[r] = fused(a.v[r][0], b.v[r][0], c.v[r][0]);
    else
      c.v[r] = Kokkos::fma(a.v[r], b.v[r], c.v[r]);
  }
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
/// W consecutive elements of an array, which needs no alignment.
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
