#pragma once
/// \file
/// Hilbert keys: a curve that visits every cell of a grid and steps only between adjacent cells.
///
/// The curve visits the 2^Dim parts of the grid one after the other. In each part it is a smaller
/// copy of itself, mirrored and with exchanged axes so that the ends meet. As with Morton keys, the
/// keys of one cubic cell of level l share their first l digits, but the order of a cell's parts
/// depends on the cell.
///
/// Source: J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 381 (2004). The bits
/// of the key are stored as `Dim` words (the "transpose"; word a holds bit Dim - 1 - a of every
/// digit). A Gray code and, level by level, mirroring and exchanging the lower bits convert them to
/// coordinates. Work O(Dim * bits) in place, no tables.
/// The steps of one point depend on each other, so a host processes many points at once: words have
/// `Lanes` lanes, and the compiler vectorises the loops over lanes.
///
/// A device computes one key per thread and finds the same digits in a table instead
/// (`hilbert_key`), which takes fewer instructions in two and three dimensions.

#include <copse/algorithms/morton_curve.hpp>

#include <cstdint>

namespace copse {

/// Coordinates, or key words, of `Lanes` cells.
template <int Dim, int Lanes>
struct CurveCells {
  CurveCoordinate<Dim> word[Dim][Lanes] = {};
};

namespace detail {

/// Mirrors or exchanges the levels below `level` according to bit `level` of axis `A`: an
/// involution. Branch-free, because adjacent lanes rarely agree.
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

/// Converts coordinates in a grid with 2^bits cells per side to the words of their keys.
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

}  // namespace detail

/// The Hilbert keys of cells of the grid with 2^bits cells per side; `cells` is overwritten.
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

namespace detail {

/// The copy of the curve in one cell: word a of the transpose is the bit of axis `axis[a]`,
/// mirrored if `mirror[a]`. The carry of the Gray code inverts all bits of the following digits,
/// as mirroring word 0 does, so it is part of `mirror[0]`.
template <int Dim>
struct CurveTurn {
  int axis[Dim] = {};
  bool mirror[Dim] = {};

  /// The digit of a part of the cell; bit a of `part` is that of axis a. Becomes the turn there.
  KOKKOS_FUNCTION constexpr int enter(int part) {
    bool word[Dim] = {};
    for (int a = 0; a < Dim; ++a) word[a] = ((part >> axis[a]) & 1) != (mirror[a] ? 1 : 0);
    mirror[0] = mirror[0] != word[0];
    for (int a = 1; a < Dim; ++a) {
      if (word[a]) {
        mirror[0] = !mirror[0];
      } else {
        Kokkos::kokkos_swap(axis[0], axis[a]);
        Kokkos::kokkos_swap(mirror[0], mirror[a]);
      }
    }
    int digit = 0;
    bool gray = false;
    for (int a = 0; a < Dim; ++a) {
      gray = gray != word[a];
      digit = 2 * digit + (gray ? 1 : 0);
    }
    mirror[0] = mirror[0] != gray;
    return digit;
  }
  constexpr bool operator==(const CurveTurn&) const = default;
};

/// True if the turns of the curve fit a byte.
template <int Dim>
inline constexpr bool has_curve_turns = Dim == 2 || Dim == 3;

/// For turn t and part p of its cell, entry 2^Dim t + p: 2^Dim times the turn in this part, plus
/// its digit. The whole grid has turn 0.
template <int Dim>
struct CurveTurns {
  static_assert(has_curve_turns<Dim>);
  static constexpr int parts = 1 << Dim;
  static constexpr int count = Dim == 2 ? 4 : 24;
  std::uint8_t entry[count * parts] = {};
};

/// A function, not a constructor: nvcc leaves a static table zero on the device if its constructor
/// computes it.
template <int Dim>
KOKKOS_FUNCTION constexpr CurveTurns<Dim> curve_turns() {
  using Table = CurveTurns<Dim>;
  Table table;
  CurveTurn<Dim> turns[Table::count] = {};
  for (int a = 0; a < Dim; ++a) turns[0].axis[a] = a;
  for (int t = 0, known = 1; t < Table::count; ++t)
    for (int part = 0; part < Table::parts; ++part) {
      CurveTurn<Dim> next = turns[t];
      const int digit = next.enter(part);
      int number = 0;
      while (number < known && !(turns[number] == next)) ++number;
      if (number == known) turns[known++] = next;
      table.entry[t * Table::parts + part] =
          static_cast<std::uint8_t>(number * Table::parts + digit);
    }
  return table;
}

}  // namespace detail

/// The Hilbert key of one cell in two or three dimensions, by a table of 16 or 192 bytes. Equals
/// hilbert_keys(). O(bits).
template <int Dim>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t hilbert_key(const CurveCell<Dim>& cell,
                                                      int bits = curve_bits<Dim>) {
  static constexpr auto turns = detail::curve_turns<Dim>();
  constexpr unsigned digit = detail::CurveTurns<Dim>::parts - 1;
  std::uint64_t key = 0;
  unsigned turn = 0;
  for (int level = bits - 1; level >= 0; --level) {
    unsigned part = 0;
    for (int a = 0; a < Dim; ++a) part |= ((cell[a] >> level) & 1u) << a;
    const unsigned entry = turns.entry[turn | part];
    key = key << Dim | (entry & digit);
    turn = entry & ~digit;
  }
  return key;
}

}  // namespace copse
