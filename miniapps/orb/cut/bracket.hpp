#pragma once
/// \file
/// The bounds of a cut in a bisection, and its next step.
///
/// [Rehmann 2022] algorithm 2 as printed has three errors, corrected here:
///
///  1. `abs(nLeft - len(x)) * percentage < alpha` compares the wrong number: the target is len(x) *
///     percentage, so it must be abs(nLeft - len(x) * percentage).
///  2. `< alpha` never stops for alpha = 0, even if the count is right. The count itself uses `<`,
///     whereas the cell's definition and all later listings send x <= cut left, so a cut equal to a
///     key is counted one way and partitioned another. Here: x <= cut, and |left - target| <=
///     alpha.
///  3. "Terminates after p steps" holds for integers, where each step removes a bit. Floating-point
///     numbers are not evenly spaced: halving [0, 1] reaches 10^-38 after 126 steps, not 32. Once
///     the bounds are adjacent, (left + right) / 2 rounds to one of them and nothing changes any
///     more: `while` loops forever ([Rehmann draft]), `for` wastes its remaining steps. Here: a
///     middle that is not strictly between the bounds ends the search, and the numbers of keys
///     below and at the cut are then known exactly.
///
/// Invariants of an open bracket: fewer keys than `wanted` are <= low, at least as many are <=
/// high; `below` and `upto` are those two numbers.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

struct CutBracket {
  using Key = OrderedKey<Real>;
  Key low;   ///< initially just below the cell's lower face
  Key high;  ///< initially the upper face
  Count below;
  Count upto;

  /// The middle of the bounds as coordinates, as in the thesis, not as keys. \return false if there
  /// is no number between them
  KOKKOS_FUNCTION bool middle(Real& cut) const {
    constexpr Real lowest = Kokkos::Experimental::finite_min_v<Real>;
    const Real left = from_ordered_key<Real>(low);
    cut = middle_below(left < lowest ? lowest : left, from_ordered_key<Real>(high));
    return holds(cut);
  }

  /// Is a guess strictly between the bounds, so that a count up to it adds information?
  KOKKOS_FUNCTION bool holds(Real guess) const {
    const Key key = ordered_key(guess);
    return low < key && key < high;
  }

  KOKKOS_FUNCTION void narrow(Real cut, Count left, Count wanted) {
    if (left < wanted) {
      low = ordered_key(cut);
      below = left;
    } else {
      high = ordered_key(cut);
      upto = left;
    }
  }

  /// The better of the two bounds for `rank` particles on the left: the one with the nearer count,
  /// the smaller one if both are equally near. For adjacent bounds this is
  /// TreeLevel::choose_threshold's rule for ties. The lower bound is used only if it is not below
  /// the cell's face.
  KOKKOS_FUNCTION Key better_bound(Count rank, Real lower_face) const {
    const bool fewer_is_nearer = rank - below <= upto - rank;
    return fewer_is_nearer && low >= ordered_key(lower_face) ? low : high;
  }
};

}  // namespace copse::orb
