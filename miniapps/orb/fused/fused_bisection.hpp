#pragma once
/// \file
/// The fused engine: builds the same trees as bisect() with far fewer passes over the particles.
///
/// bisect() reads the keys two or three times per level and moves every column once per level. Here
/// a *round* cuts each cell of the frontier up to six times before it moves the particles:
///
///     repeat until no cell within six levels is open:
///       bracket  a sample brackets the cuts of up to three levels (sample_brackets.hpp)
///       sweep    one pass counts the particles on either side of every bracket and
///                lists the few inside                             (sweep.hpp)
///       resolve  computes the exact cuts from counts and lists    (resolve_cuts.hpp)
///     move       moves every particle to its cell, stably         (multiway_partition.hpp)
///
/// A sweep covers at most three levels, because the longest side of a near-cube depends on its
/// exact cuts. Cuts, ties, boxes and order are bitwise those of bisect(): the cuts are exact, and
/// six stable two-way partitions are one stable partition into 64.
///
/// Bytes per particle and round (float positions, 32-bit index): 12 per sweep plus about a tenth of
/// 16 for its lists, 1 written and 1 read for the leaf number, 16 read and 16 written for the move.
/// Six levels take 61 bytes; bisect() takes 266.
///
/// The policy's keys must be coordinates selected by the cell's `cut_axis`. In addition to the
/// requirements of bisect() it must provide `int certain_axis(BoxRange, slot)`: the axis along
/// which a cell will be cut for every box within the range, or -1 if the axis depends on the box.

#include "round.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/depth_first.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace copse::orb::fused {

/// Minimum particles per cell of a round; smaller cells have too few samples.
inline constexpr Count least_rows_per_cell = Count{1} << 10;

/// Which cells of a tree rounds cut.
struct RoundLimits {
  Count least_rows = least_rows_per_cell;  ///< cells of at least so many particles, on average
  int levels = std::numeric_limits<int>::max();  ///< at most so many levels from the root
};

/// The cells for which rounds outperform single levels and teams on a device. A round has some 140
/// small launches, which take most of its time below 2^24 particles. Teams that finish subtrees
/// take the same time per particle in every tree, so they are best for the last levels of small
/// ones. H200, ms, with a round for the first six levels, with rounds for all, and without rounds:
///
///     rows    leaves    one round    all    none
///     2^20     4096       1.2                1.2
///     2^22     4096       1.8                2.0
///     2^24       64       1.5                2.7
///     2^24     4096       3.6        4.3     4.7
///     2^26     4096      11.2        8.0
constexpr RoundLimits worthwhile_rounds(Count rows, int levels) {
  if (rows < Count{1} << 21) return {std::numeric_limits<Count>::max(), 0};
  if (rows < Count{1} << 26) return {Count{1} << 17, depth_of_team_subtrees(rows, levels)};
  return {Count{1} << 19, levels};
}

/// Copies the root of a heap of cells to the host. Waits for it.
template <class ExecutionSpace, class Cells>
typename Cells::non_const_value_type root_of(const ExecutionSpace& space, const Cells& cells) {
  using Cell = typename Cells::non_const_value_type;
  Cell root;
  const Kokkos::View<Cell, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&root);
  Kokkos::deep_copy(space, host, Kokkos::subview(cells, 1));
  space.fence("copse::root");
  return root;
}

/// Builds the same tree as `bisect`, bitwise, and leaves the points in the same order. The
/// arguments are those of `bisect`, but `permutation`, if present, need not be initialised: it
/// starts as the identity. Cells that rounds do not cut are cut level by level or by teams.
///
/// Work O(n levels). Additional memory: lists of 16 bytes for a quarter of the particles, or more
/// if the cells are small (list_capacity), two copies of a sample of up to a quarter of the points,
/// a byte per particle, 4 bytes for each leaf slot of each tile of 4096 particles, and up to 32 MiB
/// of bins. Levels cut outside rounds take the memory of their own search.
template <class ExecutionSpace, class Policy, class Arrays>
void bisect_fused(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace,
    const RoundLimits& limits = {}) {
  const Count rows = arrays.points.extent(0);
  const Count least_rows = limits.least_rows;
  const int by_rounds = std::min(levels, limits.levels);
  auto [active, next] = root_frontier(space, levels, workspace);
  std::uint32_t size = 1;
  std::uint32_t open = levels > 0 ? 1 : 0;
  int done = 0;  // levels cut, except in stuck cells
  // Levels cut by the next round's first sweep; irrelevant if there is only one round.
  int certain = levels_per_sweep;
  if (by_rounds > most_levels && rows / 2 >= least_rows)
    certain = certain_levels(policy, root_of(space, cells));
  const auto round_pays = [&] { return open > 0 && done < by_rounds && rows / size >= least_rows; };
  if (!round_pays()) arrays.number(space);
  while (round_pays()) {
    const int here = levels_of_next_round(rows, by_rounds, done, certain, least_rows);
    certain = certain_after_round(here, certain);
    Round<ExecutionSpace, Policy> round(
        space, policy, cells, Kokkos::subview(active, std::make_pair(std::uint32_t{0}, size)), here,
        rows, workspace);
    round.find_cuts(arrays.points);
    // The first round starts from the identity, so it need not read row numbers.
    round.move(arrays.points, arrays.spare_points, done == 0 ? nullptr : arrays.rows(),
               arrays.spare_rows());
    arrays.swap();
    std::tie(size, open) = round.list_frontier(next);
    std::swap(active, next);
    done += here;
  }
  if (open > 0) {
    // Without stuck cells all leaves have the same depth, and one more level would move all
    // particles without effect. A frontier with stuck cells detects its end by itself.
    const bool uniform = size == std::uint32_t{1} << done;
    if constexpr (!runs_on_host<ExecutionSpace>) {
      if (uniform)
        return bisect_by_teams(space, policy, cells, done, levels, arrays, workspace, active, next);
    }
    bisect_frontier(space, policy, cells, uniform ? levels - done : levels, arrays, workspace,
                    active, next, size);
  }
}

/// Workspace bytes of bisect_fused.
template <class ExecutionSpace>
Count fused_workspace_bytes(Count rows, int levels, const RoundLimits& limits) {
  using Rounds = Round<ExecutionSpace, OrbPolicy>;
  const int by_rounds = std::min(levels, limits.levels);
  Count of_rounds = 0;
  int fewest = levels;                // minimum number of levels cut by rounds
  for (const int root : {1, 2, 3}) {  // levels that the first sweep may cut
    int done = 0;
    for (int certain = root; done < by_rounds && rows >> done >= limits.least_rows;) {
      const int here = levels_of_next_round(rows, by_rounds, done, certain, limits.least_rows);
      of_rounds = std::max(of_rounds, Rounds::workspace_bytes(rows, Count{1} << done, here));
      certain = certain_after_round(here, certain);
      done += here;
    }
    fewest = std::min(fewest, done);
  }
  const Count frontier = (Count{2} << levels) * sizeof(std::uint32_t);
  if (fewest == levels) return frontier + of_rounds;
  using Key = typename Rounds::Key;
  if (!runs_on_host<ExecutionSpace>)
    return frontier + of_rounds + team_workspace_bytes<Key>(rows, fewest, levels);
  const Count cells = most_cells_cut(levels);
  return level_arrays_bytes(levels) + of_rounds + SelectCuts::workspace_bytes<Key>(rows, cells) +
         MoveStably::workspace_bytes<Key>(rows, cells);
}

}  // namespace copse::orb::fused
