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
/// The steps of one point depend on each other, so a host takes many points side by side: words
/// come in `Lanes` lanes, and the loops over lanes are what its compiler vectorises.

#include <copse/algorithms/morton_curve.hpp>

namespace copse {

/// Coordinates, or words of keys, of `Lanes` cells.
template <int Dim, int Lanes>
struct CurveCells {
  CurveCoordinate<Dim> word[Dim][Lanes] = {};
};

namespace detail {

/// The mirroring or exchange of a cell's lower levels that bit `level` of axis `A` asks for: an
/// involution. Written without branches, as neighbouring lanes rarely agree.
template <int A, int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void turn_lower_levels(CurveCells<Dim, Lanes>& x, int level) {
  using Word = CurveCoordinate<Dim>;
  const Word below = (Word{1} << level) - 1;
  for (int l = 0; l < Lanes; ++l) {
    const Word mirror = Word{0} - ((x.word[A][l] >> level) & 1);  // all bits or none
    if constexpr (A == 0) {
      x.word[0][l] ^= below & mirror;
    } else {
      const Word exchange = (x.word[0][l] ^ x.word[A][l]) & below & ~mirror;
      x.word[0][l] ^= (below & mirror) ^ exchange;
      x.word[A][l] ^= exchange;
    }
  }
}

template <int A, int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void turn_by_axes_from(CurveCells<Dim, Lanes>& x, int level) {
  turn_lower_levels<A>(x, level);
  if constexpr (A + 1 < Dim) turn_by_axes_from<A + 1>(x, level);
}

template <int A, int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void turn_by_axes_down_from(CurveCells<Dim, Lanes>& x,
                                                                  int level) {
  turn_lower_levels<A>(x, level);
  if constexpr (A > 0) turn_by_axes_down_from<A - 1>(x, level);
}

/// Coordinates in a grid with 2^bits cells a side to the words of their keys.
template <int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void cells_to_hilbert_words(CurveCells<Dim, Lanes>& x,
                                                                  int bits) {
  using Word = CurveCoordinate<Dim>;
  for (int level = bits - 1; level > 0; --level) turn_by_axes_from<0>(x, level);
  for (int a = 1; a < Dim; ++a)  // Gray code over a digit's bits ...
    for (int l = 0; l < Lanes; ++l) x.word[a][l] ^= x.word[a - 1][l];
  Word carry[Lanes] = {};  // ... and from one digit to the next
  for (int level = bits - 1; level > 0; --level)
    for (int l = 0; l < Lanes; ++l)
      carry[l] ^= ((Word{1} << level) - 1) & (Word{0} - ((x.word[Dim - 1][l] >> level) & 1));
  for (int a = 0; a < Dim; ++a)
    for (int l = 0; l < Lanes; ++l) x.word[a][l] ^= carry[l];
}

/// The steps of cells_to_hilbert_words undone, last first.
template <int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void hilbert_words_to_cells(CurveCells<Dim, Lanes>& x,
                                                                  int bits) {
  for (int l = 0; l < Lanes; ++l) {
    const CurveCoordinate<Dim> carry = x.word[Dim - 1][l] >> 1;
    for (int a = Dim - 1; a > 0; --a) x.word[a][l] ^= x.word[a - 1][l];
    x.word[0][l] ^= carry;
  }
  for (int level = 1; level < bits; ++level) turn_by_axes_down_from<Dim - 1>(x, level);
}

}  // namespace detail

/// The Hilbert keys of cells of the grid with 2^bits cells a side; `cells` is overwritten.
template <int Dim, int Lanes>
KOKKOS_FORCEINLINE_FUNCTION constexpr void hilbert_keys(CurveCells<Dim, Lanes>& cells,
                                                        std::uint64_t (&keys)[Lanes],
                                                        int bits = curve_bits<Dim>) {
  if constexpr (Dim > 1) detail::cells_to_hilbert_words(cells, bits);
  for (int l = 0; l < Lanes; ++l) {
    keys[l] = 0;
    for (int a = 0; a < Dim; ++a)  // word 0 holds the most significant bit of every digit
      keys[l] |= detail::spread_bits<Dim>(cells.word[a][l]) << (Dim - 1 - a);
  }
}

/// The Hilbert key of one cell.
template <int Dim>
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t hilbert_key(const CurveCell<Dim>& cell,
                                                           int bits = curve_bits<Dim>) {
  CurveCells<Dim, 1> one;
  for (int a = 0; a < Dim; ++a) one.word[a][0] = cell[a];
  std::uint64_t key[1] = {};
  hilbert_keys(one, key, bits);
  return key[0];
}

/// The cell of a Hilbert key.
template <int Dim>
KOKKOS_INLINE_FUNCTION constexpr CurveCell<Dim> hilbert_cell(std::uint64_t key,
                                                             int bits = curve_bits<Dim>) {
  const CurveCell<Dim> words = morton_cell<Dim>(key);
  CurveCells<Dim, 1> one;
  for (int a = 0; a < Dim; ++a) one.word[a][0] = words[Dim - 1 - a];
  if constexpr (Dim > 1) detail::hilbert_words_to_cells(one, bits);
  CurveCell<Dim> cell{};
  for (int a = 0; a < Dim; ++a) cell[a] = one.word[a][0];
  return cell;
}

}  // namespace copse
