#pragma once
/// \file
/// The fused engine: the same trees as bisect() with far fewer passes over the particles.
///
/// Level by level, every level reads the keys twice or thrice and moves every column once. Here a
/// *round* cuts each cell of the frontier up to six times before it moves anything:
///
///     repeat until no cell within six levels is open:
///       bracket  a sample gives every cut of up to three levels a bracket (sample_brackets.hpp)
///       sweep    one pass counts the rows on either side of every bracket and
///                lists the few inside                                          (sweep.hpp)
///       resolve  the exact cuts, from counts and lists                         (resolve_cuts.hpp)
///     move       every row goes to its cell, stably (multiway_partition.hpp)
///
/// Three levels a sweep, because the longest side of a near-cube depends on its exact cuts. Cuts,
/// ties, boxes and order are bitwise those of bisect(): the cuts are exact, and six stable two-way
/// partitions are one stable partition into 64.
///
/// Bytes per row and round (float positions, 32-bit index): 12 a sweep and about a tenth of 16 for
/// its lists, a byte out and in for the number of its leaf, 16 in and 16 out for the move: 61 for
/// six levels, where bisect() needs 266.
///
/// The policy's keys must be coordinates, chosen by the cell's `cut_axis`, and beside what bisect()
/// needs it must say `int certain_axis(BoxRange, slot)`: the axis a cell will be cut along if its
/// box lies within a range, or -1 if that depends on where.

#include "round.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace copse::orb::fused {

/// Cells of fewer rows have too few samples for a round.
inline constexpr Count least_rows_per_cell = Count{1} << 10;
/// Rows of a cell from which a round is worth its launches on a device, in a tree of `rows` rows. A
/// round is hundreds of small launches, which take as long as six levels of 2^26 rows by histograms
/// (histogram_cuts.hpp). H200, ms, with rounds and without; where levels followed on a round they
/// were one too many, which has been mended since: by its bytes 0.2 ms of 2^24 rows and 1.2 ms of
/// 2^27.
///
///     rows    64 leaves    4096 leaves
///     2^24     5.7   3.3     9.5   6.6
///     2^26     7.6   8.4    17.4  16.7
///     2^27     9.5  15.5    22    30    (with a round for the first six levels alone: 27)
constexpr Count worthwhile_rows_per_cell(Count rows) {
  return rows < Count{1} << 26 ? std::numeric_limits<Count>::max() : Count{1} << 21;
}

/// The root of a heap of cells, fetched. Waits for it.
template <class ExecutionSpace, class Cells>
typename Cells::non_const_value_type root_of(const ExecutionSpace& space, const Cells& cells) {
  using Cell = typename Cells::non_const_value_type;
  Cell root;
  const Kokkos::View<Cell, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&root);
  Kokkos::deep_copy(space, host, Kokkos::subview(cells, 1));
  space.fence("copse::root");
  return root;
}

/// Builds the tree that `bisect` builds, bitwise, and leaves the points in the same order.
/// Arguments as for `bisect`, but `permutation`, if there is one, need not be set: it starts as the
/// rows' own numbers. Cells of fewer than `least_rows` rows on average are cut level by level.
///
/// Work O(n levels); memory beside the arguments: lists of 16 bytes for a quarter of the rows, a
/// sample of up to a quarter of the points, twice, a byte a row, and 4 bytes for each leaf slot of
/// each tile of 4096 rows. Levels after rounds, or instead of them, take what their search takes.
template <class ExecutionSpace, class Policy, class Arrays>
void bisect_fused(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace,
    Count least_rows = least_rows_per_cell) {
  const Count rows = arrays.points.extent(0);
  const Count most = Count{1} << levels;
  auto active = workspace.template get<std::uint32_t>("bisect::active", most);
  auto next = workspace.template get<std::uint32_t>("bisect::next_active", most);
  Kokkos::deep_copy(space, Kokkos::subview(active, std::make_pair(0, 1)), std::uint32_t{1});
  std::uint32_t size = 1;
  std::uint32_t open = levels > 0 ? 1 : 0;
  int done = 0;  // levels cut, but for cells that were stuck
  // Levels that the next round's first sweep cuts; of no interest where one round is all there is.
  int certain = levels_per_sweep;
  if (levels > most_levels && rows / 2 >= least_rows)
    certain = certain_levels(policy, root_of(space, cells));
  if (rows / size < least_rows || open == 0) arrays.number(space);
  while (open > 0 && rows / size >= least_rows) {
    const int here = levels_of_next_round(rows, levels, done, certain, least_rows);
    certain = certain_after_round(here, certain);
    Round<ExecutionSpace, Policy> round(
        space, policy, cells, Kokkos::subview(active, std::make_pair(std::uint32_t{0}, size)), here,
        rows, workspace);
    round.find_cuts(arrays.points);
    // Rows are numbered as they come, so the first round need not read their numbers.
    round.move(arrays.points, arrays.spare_points, done == 0 ? nullptr : arrays.rows(),
               arrays.spare_rows());
    arrays.swap();
    std::tie(size, open) = round.list_frontier(next);
    std::swap(active, next);
    done += here;
  }
  if (open > 0) {
    // Unless a cell was stuck all cells are equally deep, and a level more would move all rows for
    // nothing; a frontier with stuck cells finds out by itself that it is done.
    const int left = size == std::uint32_t{1} << done ? levels - done : levels;
    bisect_frontier(space, policy, cells, left, arrays, workspace, active, next, size,
                    SizedCuts<typename ExecutionSpace::memory_space>{});
  }
}

/// Bytes of the workspace that bisect_fused takes.
template <class ExecutionSpace>
Count fused_workspace_bytes(Count rows, int levels, Count least_rows) {
  using Rounds = Round<ExecutionSpace, OrbPolicy>;
  Count of_rounds = 0;
  int fewest = levels;                // levels that rounds cut
  for (const int root : {1, 2, 3}) {  // levels that the first sweep may cut
    int done = 0;
    for (int certain = root; done < levels && rows >> done >= least_rows;) {
      const int here = levels_of_next_round(rows, levels, done, certain, least_rows);
      of_rounds = std::max(of_rounds, Rounds::workspace_bytes(rows, Count{1} << done, here));
      certain = certain_after_round(here, certain);
      done += here;
    }
    fewest = std::min(fewest, done);
  }
  const Count frontier = (Count{2} << levels) * sizeof(std::uint32_t);
  if (fewest == levels) return frontier + of_rounds;
  const Count cells = most_cells_cut(levels);
  using Key = typename Rounds::Key;
  using Cuts = SizedCuts<typename ExecutionSpace::memory_space>;
  return level_arrays_bytes(levels) + of_rounds +
         Cuts::template workspace_bytes<Key>(rows, Count{1} << fewest, cells) +
         MoveStably::workspace_bytes<Key>(rows, cells);
}

}  // namespace copse::orb::fused
