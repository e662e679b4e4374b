#pragma once
/// \file
/// Derives the summary of both sides of a cut from the last histogram of a histogram search
/// (histogram_cuts.hpp), without reading the particles again.

#include <copse/algorithms/segmented_select.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// One team per cell. Each bin of the last histogram is one key, so the left count is known. One of
/// the two keys next to the threshold is the cut's own key; the other is the nearest non-empty bin.
/// If there is no such bin, the cell is counted in `unknown`.
template <class ExecutionSpace, class LevelT, class SelectionView, class Summary>
struct SummarizeHistogram {
  using Key = typename LevelT::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  LevelT level;
  SelectionView found;
  typename LevelT::template Array<Count> histogram;
  Summary summary;
  typename LevelT::template Array<Count> unknown;  ///< [1]
  int bits;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count s = team.league_rank();
    const Selected<Key> at = found(s);
    const Count first = s << bits;
    const int here = static_cast<int>(at.key & ((Key{1} << bits) - 1));
    const int none_below = -1;
    const int none_above = 1 << bits;
    int below = none_below;
    int above = none_above;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, here),
        [&](int b, int& nearest) {
          if (histogram(first + b) > 0 && b > nearest) nearest = b;
        },
        Kokkos::Max<int>(below));
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, here + 1, none_above),
        [&](int b, int& nearest) {
          if (histogram(first + b) > 0 && b < nearest) nearest = b;
        },
        Kokkos::Min<int>(above));
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      summary.left(s) = 0;
      summary.left_max(s) = 0;
      summary.right_min(s) = static_cast<Key>(~Key{0});
      if (level.ranks(s) == 0) return;
      const auto& cell = level.cells(level.active(s));
      const Key first_key = static_cast<Key>(at.key - static_cast<Key>(here));
      bool known;
      if (level.threshold(s) >= at.key) {
        summary.left(s) = at.below + at.equal;
        summary.left_max(s) = at.key;
        known = summary.left(s) == cell.end - cell.begin || above < none_above;
        if (above < none_above)
          summary.right_min(s) = static_cast<Key>(first_key + static_cast<Key>(above));
      } else {
        summary.left(s) = at.below;
        summary.right_min(s) = at.key;
        known = at.below == 0 || below > none_below;
        if (below > none_below)
          summary.left_max(s) = static_cast<Key>(first_key + static_cast<Key>(below));
      }
      if (!known) Kokkos::atomic_inc(&unknown(0));
    });
  }
};

}  // namespace copse::detail
