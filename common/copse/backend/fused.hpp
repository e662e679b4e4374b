#pragma once
/// \file
/// a * b + c with one rounding: the same bits on processors with and without FMA instructions.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

namespace copse {

#if defined(__FMA__) || defined(__aarch64__) || defined(FP_FAST_FMAF)
inline constexpr bool fma_is_an_instruction = true;
#else
inline constexpr bool fma_is_an_instruction = false;
#endif

namespace detail {

[[gnu::noinline, gnu::cold]] inline float fused_by_call(float a, float b, float c) {
  return Kokkos::fma(a, b, c);
}

/// For processors without FMA instructions. There, fmaf is a call of the C library, and a distance
/// takes 2 to 3 times as long with fmaf as with this function (GCC 12, x86-64-v2, a loop of
/// distances on an EPYC). In double, the product is exact and the sum is rounded to 53 bits.
/// Rounding the sum again to 24 bits gives the bits of fmaf, with two exceptions: the first
/// rounding may have put the sum midway between two floats, and the sum may be less than any normal
/// float. A sum of 0 is exact.
inline float fused_in_double(float a, float b, float c) {
  const double sum = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
  const auto bits = Kokkos::bit_cast<std::uint64_t>(sum);
  const bool midway = static_cast<std::uint32_t>(bits) << 3 == 1u << 31;  // of 29 dropped bits
  constexpr std::uint64_t normal = std::uint64_t{1023 - 126} << 52;       // 2^-126
  const bool tiny = (bits << 1) - 1 < (normal << 1) - 1;                  // without its sign; not 0
  if (midway || tiny) [[unlikely]]
    return fused_by_call(a, b, c);
  return static_cast<float>(sum);
}

}  // namespace detail

/// a * b + c, rounded once.
KOKKOS_FORCEINLINE_FUNCTION double fused(double a, double b, double c) {
  return Kokkos::fma(a, b, c);
}
KOKKOS_FORCEINLINE_FUNCTION float fused(float a, float b, float c) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::fma(a, b, c);))
  KOKKOS_IF_ON_HOST((if constexpr (fma_is_an_instruction) return Kokkos::fma(a, b, c);
                     else return detail::fused_in_double(a, b, c);))
}

}  // namespace copse
