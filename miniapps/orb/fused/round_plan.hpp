#pragma once
/// \file
/// How the levels of a tree are divided into rounds of the fused engine, and a round's into sweeps.
///
/// A sweep cuts up to three levels, but ends where a cell's axis depends on where the cuts above it
/// lie: in a cube after all three axes, in a cell of half a cube after two. From then on cells are
/// near-cubes again and every sweep cuts three, as long as a round does not end in between, for a
/// round begins with a sweep of its own. So rounds should end where sweeps would: 11 levels of half
/// a cube are 5 and 6, four sweeps, and not 6 and 5, which are five (seed 000 section 2.2 has the
/// rule of the longest side).

#include "cut_forest.hpp"
#include "device_nodes.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::orb::fused {

/// Levels of cuts bracketed by one sweep.
inline constexpr int levels_per_sweep = 3;

/// Levels that the next round cuts where `left` are still to be cut: as few rounds as can be, and
/// those alike.
constexpr int levels_of_round(int left) {
  const int rounds = (left + most_levels - 1) / most_levels;
  return rounds > 0 ? (left + rounds - 1) / rounds : 1;
}

/// Sweeps of a round, the first of which cuts `certain` levels.
constexpr int sweeps_of_round(int levels, int certain) {
  if (levels <= certain) return 1;
  return 1 + (levels - certain + levels_per_sweep - 1) / levels_per_sweep;
}

/// Levels that the first sweep of the next round cuts.
constexpr int certain_after_round(int levels, int certain) {
  const int over = levels - certain;
  if (over < 0) return -over;
  return levels_per_sweep - over % levels_per_sweep;
}

struct RoundPlan {
  int levels = 1;       ///< of the first round
  int sweeps = 0;       ///< of all rounds
  int before_last = 0;  ///< levels of all rounds but the last
};

/// The division of `left` levels into as few rounds as can be with the fewest sweeps, where the
/// first sweep cuts `certain` levels; of several, the one whose first round is longest.
constexpr RoundPlan plan_rounds(int left, int certain) {
  const int rounds = (left + most_levels - 1) / most_levels;
  RoundPlan best{std::max(left, 1), sweeps_of_round(std::max(left, 1), certain), 0};
  if (rounds <= 1) return best;
  best.sweeps = left + 1;  // more than any division has
  for (int here = std::min(most_levels, left - 1); left - here <= (rounds - 1) * most_levels;
       --here) {
    const RoundPlan rest = plan_rounds(left - here, certain_after_round(here, certain));
    const int sweeps = sweeps_of_round(here, certain) + rest.sweeps;
    if (sweeps < best.sweeps) best = {here, sweeps, here + rest.before_last};
  }
  return best;
}

/// Levels of the next round where `done` of `levels` are cut in a tree of `rows` rows, whose cells
/// must have `least_rows` each for a round: by plan if all of it can be carried out, else alike, so
/// that as many rounds as possible have cells that are large enough.
constexpr int levels_of_next_round(Count rows, int levels, int done, int certain,
                                   Count least_rows) {
  const RoundPlan plan = plan_rounds(levels - done, certain);
  const bool possible = rows >> (done + plan.before_last) >= least_rows;
  return possible ? plan.levels : levels_of_round(levels - done);
}

/// Levels that one sweep cuts below `root`, whose box is known, as long as cuts lie within a
/// hundredth of the middle: as in data that are even at that scale. A guess, for plans only.
template <class Policy>
int certain_levels(const Policy& policy, const typename Policy::Cell& root) {
  BoxRange range{root.lower, root.lower, root.upper, root.upper};
  std::uint32_t slot = 1;
  for (int level = 0; level < levels_per_sweep; ++level, slot *= 2) {
    const int axis = certain_axis(policy, range, slot);
    if (axis < 0) return std::max(level, 1);
    const auto extent = range.upper_max[axis] - range.lower_min[axis];
    const auto middle = range.lower_min[axis] + extent / 2;
    range.upper_min[axis] = middle - extent / 100;
    range.upper_max[axis] = middle + extent / 100;
  }
  return levels_per_sweep;
}

}  // namespace copse::orb::fused
