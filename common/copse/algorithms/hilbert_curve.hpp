#pragma once
/// \file
/// Hilbert keys: a curve through every cell of a grid that steps from neighbour to neighbour.
///
/// The grid's 2^Dim parts are visited one after the other, each by a smaller copy of the curve that
/// is mirrored and has its axes exchanged so that ends meet. Keys of one cubic cell of level l
/// share their first l digits, as Morton keys do, but digits number a cell's parts in an order that
/// depends on the cell.
///
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004): the key's
/// bits are held as `Dim` words (the "transpose"; word a holds bit Dim - 1 - a of every digit),
/// which a Gray code and, level by level, the mirroring and exchange of the lower bits turn into
/// coordinates. Work O(Dim * bits) in place, no tables.

#include <copse/algorithms/morton_curve.hpp>

namespace copse {

namespace detail {

/// The mirroring or exchange of a cell's lower levels that bit `level` of axis `a` asks for: an
/// involution. Written without branches, as neighbouring lanes rarely agree.
template <int Dim>
KOKKOS_FORCEINLINE_FUNCTION constexpr void turn_lower_levels(CurveCell<Dim>& x, int a, int level) {
  using Word = CurveCoordinate<Dim>;
  const Word below = (Word{1} << level) - 1;
  const Word mirror = Word{0} - ((x[a] >> level) & 1);  // all bits or none
  const Word exchange = (x[0] ^ x[a]) & below & ~mirror;
  x[0] ^= (below & mirror) ^ exchange;
  x[a] ^= exchange;  // for axis 0 there is nothing to exchange
}

/// Word a of the key to word Dim - 1 - a of an array that morton_key interleaves.
template <int Dim>
KOKKOS_FORCEINLINE_FUNCTION constexpr CurveCell<Dim> reverse_axes(const CurveCell<Dim>& x) {
  CurveCell<Dim> reversed{};
  for (int a = 0; a < Dim; ++a) reversed[a] = x[Dim - 1 - a];
  return reversed;
}

}  // namespace detail

/// The Hilbert key of a cell of the grid with 2^bits cells a side.
template <int Dim>
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t hilbert_key(CurveCell<Dim> x,
                                                           int bits = curve_bits<Dim>) {
  if constexpr (Dim == 1) {
    return x[0];
  } else {
    for (int level = bits - 1; level > 0; --level)
      for (int a = 0; a < Dim; ++a) detail::turn_lower_levels<Dim>(x, a, level);
    for (int a = 1; a < Dim; ++a) x[a] ^= x[a - 1];  // Gray code over a digit's bits ...
    CurveCoordinate<Dim> carry = 0;                  // ... and from one digit to the next
    for (int level = bits - 1; level > 0; --level)
      if ((x[Dim - 1] >> level) & 1) carry ^= (CurveCoordinate<Dim>{1} << level) - 1;
    for (int a = 0; a < Dim; ++a) x[a] ^= carry;
    return morton_key<Dim>(detail::reverse_axes<Dim>(x));
  }
}

/// The cell of a Hilbert key: the steps of `hilbert_key` undone, last first.
template <int Dim>
KOKKOS_INLINE_FUNCTION constexpr CurveCell<Dim> hilbert_cell(std::uint64_t key,
                                                             int bits = curve_bits<Dim>) {
  CurveCell<Dim> x = detail::reverse_axes<Dim>(morton_cell<Dim>(key));
  if constexpr (Dim > 1) {
    const CurveCoordinate<Dim> carry = x[Dim - 1] >> 1;
    for (int a = Dim - 1; a > 0; --a) x[a] ^= x[a - 1];
    x[0] ^= carry;
    for (int level = 1; level < bits; ++level)
      for (int a = Dim - 1; a >= 0; --a) detail::turn_lower_levels<Dim>(x, a, level);
  }
  return x;
}

}  // namespace copse
