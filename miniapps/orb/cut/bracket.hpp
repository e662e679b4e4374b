#pragma once
/// \file
/// The bounds of a cut in a bisection, and its next step.
///
/// [Rehmann 2022] algorithm 2 as printed has three faults. What is done here instead:
///
///  1. `abs(nLeft - len(x)) * percentage < alpha` compares the wrong number: the target is
///     len(x) * percentage, so it must be abs(nLeft - len(x) * percentage).
///  2. `< alpha` never stops for alpha = 0, even when the count is right, and the count itself uses
///     `<` where the cell's definition, and all listings that follow, send x <= cut left. A cut
///     that equals a key then counts one thing and partitions another. Here: x <= cut, and |left -
///     target| <= alpha.
///  3. "Terminates after p steps" holds for integers, where each step removes a bit. Floating-point
///     numbers are not evenly spaced: halving [0, 1] comes near 10^-38 after 126 steps, not 32. And
///     once the bounds are neighbours, (left + right) / 2 rounds to one of them and nothing changes
///     any more: `while` loops forever ([Rehmann draft]), `for` wastes its remaining steps. Here: a
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
  Key low;   ///< not in the cell's range at first: just below its lower face
  Key high;  ///< the upper face at first
  Count below;
  Count upto;

  /// The middle of the bounds as coordinates, as the thesis has it; in particular not the middle
  /// of the keys. \return false if there is no number between them
  KOKKOS_FUNCTION bool middle(Real& cut) const {
    constexpr Real lowest = Kokkos::Experimental::finite_min_v<Real>;
    const Real left = from_ordered_key<Real>(low);
    cut = middle_below(left < lowest ? lowest : left, from_ordered_key<Real>(high));
    return holds(cut);
  }

  /// Whether a guess is strictly between the bounds, so that counting up to it tells something new.
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

  /// The better of the two bounds for `rank` particles on the left: the nearer count, the smaller
  /// one if both are equally near. Between neighbours that is TreeLevel::choose_threshold's rule
  /// for ties. The lower bound serves only where it is not below the cell's face.
  KOKKOS_FUNCTION Key better_bound(Count rank, Real lower_face) const {
    const bool fewer_is_nearer = rank - below <= upto - rank;
    return fewer_is_nearer && low >= ordered_key(lower_face) ? low : high;
  }
};

}  // namespace copse::orb
