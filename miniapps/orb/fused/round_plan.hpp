#pragma once
/// \file
/// Divides the levels of a tree into rounds of the fused engine, and each round into sweeps.
///
/// A sweep cuts up to three levels, but stops where a cell's axis depends on the positions of the
/// cuts above: in a cube after all three axes, in half a cube after two. After that the cells are
/// near-cubes again and every sweep cuts three levels, unless a round ends in between, because each
/// round starts with a new sweep. Rounds should therefore end where sweeps end: 11 levels of half a
/// cube as 5 and 6 take four sweeps, as 6 and 5 five sweeps ([Rehmann 2022] section 2.2 has the
/// longest-side rule).

#include "cut_forest.hpp"
#include "device_nodes.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::orb::fused {

/// Maximum number of levels that one sweep brackets.
inline constexpr int levels_per_sweep = 3;

/// Levels of the next round if `left` levels remain: the minimum number of rounds, of nearly equal
/// size.
constexpr int levels_of_round(int left) {
  const int rounds = (left + most_levels - 1) / most_levels;
  return rounds > 0 ? (left + rounds - 1) / rounds : 1;
}

/// Sweeps of a round whose first sweep cuts `certain` levels.
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

/// The division of `left` levels into the minimum number of rounds with the fewest sweeps, if the
/// first sweep cuts `certain` levels. Among equals, the one with the longest first round.
constexpr RoundPlan plan_rounds(int left, int certain) {
  const int rounds = (left + most_levels - 1) / most_levels;
  RoundPlan best{std::max(left, 1), sweeps_of_round(std::max(left, 1), certain), 0};
  if (rounds <= 1) return best;
  best.sweeps = left + 1;  // more than in any division
  for (int here = std::min(most_levels, left - 1); left - here <= (rounds - 1) * most_levels;
       --here) {
    const RoundPlan rest = plan_rounds(left - here, certain_after_round(here, certain));
    const int sweeps = sweeps_of_round(here, certain) + rest.sweeps;
    if (sweeps < best.sweeps) best = {here, sweeps, here + rest.before_last};
  }
  return best;
}

/// Levels of the next round of a tree with `rows` particles, if `done` of `levels` are cut. Rounds
/// require cells of `least_rows` particles. Follows the plan if all its rounds satisfy this;
/// otherwise uses rounds of nearly equal size, so that as many rounds as possible do.
constexpr int levels_of_next_round(Count rows, int levels, int done, int certain,
                                   Count least_rows) {
  const RoundPlan plan = plan_rounds(levels - done, certain);
  const bool possible = rows >> (done + plan.before_last) >= least_rows;
  return possible ? plan.levels : levels_of_round(levels - done);
}

/// Levels that one sweep cuts below `root`, whose box is known, assuming cuts within a hundredth of
/// the middle, as in data that are uniform at that scale. An estimate for plans only.
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
