#pragma once
/// \file
/// Elementary functions that give the same bits on every processor.
///
/// The logarithm of each platform's libm rounds differently, so generators must not call it. These
/// functions use only + - * / and sqrt, which IEEE 754 rounds correctly everywhere, plus exact
/// operations on the bits of a double. The translation unit that includes them must be compiled
/// without contraction of a * b + c into one rounding (`-ffp-contract=off`, `-fmad=false`) and
/// without fast-math flags. The functions are force-inlined so that the linker cannot replace them
/// by another translation unit's copy.
///
/// Accuracy: a few units in the last place over the stated range; the tests compare with libm.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::portable {

inline constexpr double ln2_high = 0x1.62e42feep-1;             ///< 32 bits: k * ln2_high is exact
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;        ///< ln 2 - ln2_high
inline constexpr double two_pi = 6.28318530717958647692528677;  ///< rounds to the nearest double

/// Natural logarithm of a positive normal double.
KOKKOS_FORCEINLINE_FUNCTION double log(double x) {
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)); then ln m = 2 artanh(s), s = (m - 1) / (m + 1).
  const std::uint64_t sqrt_half = 0x3FE6A09E667F3BCDU;
  const std::uint64_t bits = Kokkos::bit_cast<std::uint64_t>(x);
  const std::int64_t k = static_cast<std::int64_t>(bits - sqrt_half) >> 52;
  const double m = Kokkos::bit_cast<double>(bits - (static_cast<std::uint64_t>(k) << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double tail = 0.0;  // s2/3 + s2^2/5 + ...; |s| < 0.172, so 11 terms leave less than 1e-18
  for (int n = 11; n >= 1; --n) tail = (tail + 1.0 / (2 * n + 1)) * s2;
  const double log_m = 2.0 * s + 2.0 * s * tail;
  const double dk = static_cast<double>(k);
  return dk * ln2_high + (log_m + dk * ln2_low);
}

/// e^x for |x| <= 700.
KOKKOS_FORCEINLINE_FUNCTION double exp(double x) {
  const double k = Kokkos::floor(x * 1.44269504088896340736 + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= 0.35
  double sum = 1.0;
  for (int n = 14; n >= 1; --n) sum = 1.0 + sum * r * (1.0 / n);
  const std::uint64_t exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
  return sum * Kokkos::bit_cast<double>(exponent << 52);
}

/// x^y for positive normal x and |y ln x| <= 700; the relative error grows with |y ln x|.
KOKKOS_FORCEINLINE_FUNCTION double pow(double x, double y) {
  return exp(y * log(x));
}

/// Cube root of a positive normal double.
KOKKOS_FORCEINLINE_FUNCTION double cbrt(double x) {
  // A third of the bits plus two thirds of the exponent bias is an estimate with an error of at
  // most 13 %; each of three Halley steps cubes that error.
  const std::uint64_t bits = Kokkos::bit_cast<std::uint64_t>(x);
  double y = Kokkos::bit_cast<double>(bits / 3 + (std::uint64_t{682} << 52));
  for (int step = 0; step < 3; ++step) {
    const double y3 = y * y * y;
    y = y * ((y3 + 2.0 * x) / (2.0 * y3 + x));
  }
  return y;
}

struct SineCosine {
  double sine;
  double cosine;
};

/// Sine and cosine of `turns` full turns (2 pi turns radians), 0 <= turns < 1.
KOKKOS_FORCEINLINE_FUNCTION SineCosine sincos_of_turn(double turns) {
  const double quarter = Kokkos::floor(4.0 * turns + 0.5);
  const double t = two_pi * (turns - 0.25 * quarter);  // |t| <= pi / 4
  const double t2 = t * t;
  double s = 0.0;  // Taylor series, nested: s / t - 1 and c - 1
  double c = 0.0;
  for (int n = 9; n >= 1; --n) {
    s = -(1.0 + s) * t2 * (1.0 / ((2 * n) * (2 * n + 1)));
    c = -(1.0 + c) * t2 * (1.0 / ((2 * n - 1) * (2 * n)));
  }
  s = t + t * s;
  c = 1.0 + c;
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace copse::portable
