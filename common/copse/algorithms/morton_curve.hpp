#pragma once
/// \file
/// Morton keys: the bits of a grid cell's coordinates, interleaved.
///
/// Invariants
///  - A key of `Dim` dimensions has `Dim * curve_bits<Dim>` <= 63 bits: `curve_bits` digits of
///    `Dim` bits each, the most significant first. Bit a of a digit belongs to axis a.
///  - A digit therefore numbers the 2^Dim parts of a cell halved along every axis, and cells whose
///    keys share their first l digits lie in one cubic cell of level l: the cells of an octree.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace copse {

/// Bits per coordinate, and digits per key, of the curves in `Dim` dimensions.
template <int Dim>
inline constexpr int curve_bits = 63 / Dim;

/// A grid coordinate in [0, 2^curve_bits).
template <int Dim>
using CurveCoordinate = std::conditional_t<Dim == 1, std::uint64_t, std::uint32_t>;

/// Coordinates of a grid cell.
template <int Dim>
using CurveCell = Kokkos::Array<CurveCoordinate<Dim>, Dim>;

namespace detail {

/// Blocks of `block` set bits, one every `block * dim` bits.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t spaced_blocks(int dim, int block) {
  std::uint64_t mask = 0;
  for (int b = 0; b < 64; ++b)
    if (b % (block * dim) < block) mask |= std::uint64_t{1} << b;
  return mask;
}

/// The largest power of two below `bits` >= 2: the first split of a coordinate.
KOKKOS_INLINE_FUNCTION constexpr int first_block(int bits) {
  int block = 1;
  while (2 * block < bits) block *= 2;
  return block;
}

/// Moves bit b to bit b * Dim. Each step splits blocks of 2 Block bits in two and shifts the upper
/// halves to their positions: logarithmically many steps.
template <int Dim, int Block = first_block(curve_bits<Dim>)>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t spread_bits(std::uint64_t x) {
  if constexpr (Dim > 1 && Block > 0) {
    constexpr std::uint64_t mask = spaced_blocks(Dim, Block);
    return spread_bits<Dim, Block / 2>((x | x << (Block * (Dim - 1))) & mask);
  } else {
    return x;
  }
}

/// The inverse: extracts every Dim-th bit, starting with bit 0.
template <int Dim, int Block = 1>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t gather_bits(std::uint64_t x) {
  constexpr std::uint64_t mask = spaced_blocks(Dim, Block);
  x &= mask;
  if constexpr (Dim > 1 && Block < curve_bits<Dim>) {
    return gather_bits<Dim, 2 * Block>(x | x >> (Block * (Dim - 1)));
  } else {
    return x;
  }
}

}  // namespace detail

/// The Morton key of a cell.
template <int Dim>
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t morton_key(const CurveCell<Dim>& cell) {
  std::uint64_t key = 0;
  for (int a = 0; a < Dim; ++a) key |= detail::spread_bits<Dim>(cell[a]) << a;
  return key;
}

/// The cell of a Morton key.
template <int Dim>
KOKKOS_FORCEINLINE_FUNCTION constexpr CurveCell<Dim> morton_cell(std::uint64_t key) {
  CurveCell<Dim> cell{};
  for (int a = 0; a < Dim; ++a)
    cell[a] = static_cast<CurveCoordinate<Dim>>(detail::gather_bits<Dim>(key >> a));
  return cell;
}

}  // namespace copse
