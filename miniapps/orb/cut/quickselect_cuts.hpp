#pragma once
/// \file
/// QuickselectCuts: std::nth_element on a copy of each cell's keys, one thread per cell. Host only.
///
/// The single-core baseline: O(n) per level on average (introselect, so no quadratic worst case).
/// It does not scale at the top of the tree, where one thread searches the root.

#include <copse/algorithms/team_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::orb {

template <class Keys, class LevelT, class Copy>
struct QuickselectCell {
  using Key = typename LevelT::Key;
  Keys keys;
  LevelT level;
  Copy copy;

  void operator()(Count s) const {
    const Count rank = level.ranks(s);
    if (rank == 0) return;
    const Segment rows = level.segments(s);
    const auto key = keys.segment(s);
    Key* const first = copy.data() + rows.begin;
    Key* const last = copy.data() + rows.end;
    for (Count i = rows.begin; i < rows.end; ++i) copy(i) = key(i);
    std::nth_element(first, first + (rank - 1), last);
    Selected<Key> found;
    found.key = first[rank - 1];
    found.below =
        static_cast<Count>(std::count_if(first, last, [&](Key k) { return k < found.key; }));
    found.equal = static_cast<Count>(std::count(first, last, found.key));
    const auto& cell = level.cells(level.active(s));
    level.threshold(s) = level.choose_threshold(cell, level.policy.rank(cell), found);
  }
};

struct QuickselectCuts {
  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) const {
    static_assert(runs_on_host<ExecutionSpace>);
    const auto copy = workspace.template get<typename LevelT::Key>("quickselect::keys", level.rows);
    // Dynamic schedule because cells differ in size.
    Kokkos::parallel_for(
        "copse::orb::quickselect",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(
            space, 0, level.segments.extent(0)),
        QuickselectCell<Keys, LevelT, std::remove_const_t<decltype(copy)>>{keys, level, copy});
  }
};

}  // namespace copse::orb
