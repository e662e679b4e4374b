#pragma once
/// \file
/// Coordinates in fixed point of a box, with 32, 21 or 16 bits each ([Rehmann draft] section
/// 3.1.4): three numbers take 12, 8 or 6 bytes.
///
/// Number q on an axis is the coordinate lower + q step. The step is the side of the box divided by
/// 2^bits - 1, rounded up to 21 significant bits.
///
/// Invariants
///  - Both conversions are monotone, so the k-th smallest number is the number of the k-th smallest
///    coordinate: an exact cut of the numbers is an exact cut of the coordinates.
///  - A coordinate changes by at most half a step plus the rounding to Real.
///  - A number q = compress(x) satisfies compress(decompress(q)) == q, so only the first
///    compression loses bits: a rounded coordinate decompress(q) keeps its bits, and different
///    rounded coordinates have different numbers. Where Real is coarser than the step, some numbers
///    q belong to no coordinate, and compress(decompress(q)) may differ from them.
///  - Both are bitwise equal on every backend: the product q step has at most 53 bits, so it is
///    exact, and fusing it with the addition changes nothing.
///
/// Three numbers form a *triple*: three coordinates of a particle, or one coordinate of three
/// consecutive particles. 21-bit numbers share one 64-bit word.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace copse {

struct FixedPoint {
  int bits = 0;  ///< 32, 21 or 16; 0: coordinates are not compressed
  Kokkos::Array<double, 3> lower{};
  Kokkos::Array<double, 3> step{};
  Kokkos::Array<Real, 3> upper{};

  /// The number nearest to coordinate x, which must lie in the box.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t compress(Real x, int axis) const {
    return static_cast<std::uint32_t>(
        Kokkos::nearbyint((static_cast<double>(x) - lower[axis]) / step[axis]));
  }
  KOKKOS_FORCEINLINE_FUNCTION Real decompress(std::uint32_t q, int axis) const {
    const Real x = static_cast<Real>(lower[axis] + q * step[axis]);
    return x < upper[axis] ? x : upper[axis];
  }
};

/// Fixed point of `bits` bits (32, 21 or 16) for coordinates in the box. Every number of an axis
/// without extent is 0.
inline FixedPoint fixed_point(const Box<3>& box, int bits) {
  FixedPoint result;
  result.bits = bits;
  for (int a = 0; a < 3; ++a) {
    result.lower[a] = box.lower[a];
    result.upper[a] = box.upper[a];
    const double side = static_cast<double>(box.upper[a]) - static_cast<double>(box.lower[a]);
    int exponent = 0;
    const double fraction = std::frexp(side / (std::ldexp(1.0, bits) - 1), &exponent);
    constexpr double most = 1 << 21;
    result.step[a] = std::max(std::ldexp(std::ceil(fraction * most) / most, exponent),
                              std::numeric_limits<double>::min());
  }
  return result;
}

/// Bytes of three numbers.
constexpr Count triple_bytes(int bits) {
  return bits == 21 ? 8 : static_cast<Count>(3 * bits / 8);
}

/// Number k of an array of triples; `triples` is aligned to 8 bytes.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t number_at(const std::byte* triples, int bits, Count k) {
  if (bits == 16) return reinterpret_cast<const std::uint16_t*>(triples)[k];
  if (bits == 32) return reinterpret_cast<const std::uint32_t*>(triples)[k];
  const std::uint64_t word = reinterpret_cast<const std::uint64_t*>(triples)[k / 3];
  return static_cast<std::uint32_t>(word >> (21 * (k % 3))) & ((1u << 21) - 1);
}

/// Writes number k; the numbers of a triple must be written in order.
KOKKOS_FORCEINLINE_FUNCTION void write_number(std::byte* triples, int bits, Count k,
                                              std::uint32_t q) {
  if (bits == 21) {
    std::uint64_t& word = reinterpret_cast<std::uint64_t*>(triples)[k / 3];
    word = (k % 3 == 0 ? 0 : word) | std::uint64_t{q} << (21 * (k % 3));
  } else if (bits == 32) {
    reinterpret_cast<std::uint32_t*>(triples)[k] = q;
  } else {
    reinterpret_cast<std::uint16_t*>(triples)[k] = static_cast<std::uint16_t>(q);
  }
}

/// Writes triple i: numbers 3 i to 3 i + 2.
KOKKOS_FORCEINLINE_FUNCTION void write_triple(std::byte* triples, int bits, Count i,
                                              std::uint32_t first, std::uint32_t second,
                                              std::uint32_t third) {
  if (bits == 21) {
    reinterpret_cast<std::uint64_t*>(triples)[i] =
        first | std::uint64_t{second} << 21 | std::uint64_t{third} << 42;
  } else if (bits == 32) {
    auto* const to = reinterpret_cast<std::uint32_t*>(triples) + 3 * i;
    to[0] = first;
    to[1] = second;
    to[2] = third;
  } else {
    auto* const to = reinterpret_cast<std::uint16_t*>(triples) + 3 * i;
    to[0] = static_cast<std::uint16_t>(first);
    to[1] = static_cast<std::uint16_t>(second);
    to[2] = static_cast<std::uint16_t>(third);
  }
}

}  // namespace copse
