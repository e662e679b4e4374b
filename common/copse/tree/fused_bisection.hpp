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
///     move       every row goes to its cell, stably                            (multiway_move.hpp)
///
/// Three levels a sweep, because the longest side of a near-cube depends on its exact cuts. Cuts,
/// ties, boxes and order are bitwise those of bisect(): the cuts are exact, and six stable two-way
/// partitions are one stable partition into 64.
///
/// Bytes per row and round (float positions, 32-bit index): 12 a sweep and about a tenth of 16 for
/// its lists, 16 in and 16 out for the move: 59 for six levels, where bisect() needs 266.
///
/// The policy's keys must be coordinates, chosen by the cell's `cut_axis`, and beside what bisect()
/// needs it must say `int certain_axis(BoxRange, slot)`: the axis a cell will be cut along if its
/// box lies within a range, or -1 if that depends on where.

#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/fused/multiway_move.hpp>
#include <copse/tree/fused/resolve_cuts.hpp>
#include <copse/tree/fused/round_state.hpp>
#include <copse/tree/fused/sample_brackets.hpp>
#include <copse/tree/fused/sweep.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace copse {

namespace fused {

/// Levels of cuts bracketed by one sweep.
inline constexpr int levels_per_sweep = 3;
/// Rows per round the lists have room for: one of this many.
inline constexpr Count rows_per_list_slot = 4;

/// Cells of fewer rows have too few samples for a round.
inline constexpr Count least_rows_per_cell = Count{1} << 10;
/// On a device, cells of fewer rows are cut faster level by level: a round's many small launches
/// take as long as those of all its levels there. (H200: 2^24 rows in 4096 leaves 10.9 ms fused
/// throughout, 8.4 ms by levels; 2^27 rows 22 and 32 ms.)
inline constexpr Count worthwhile_rows_per_cell = Count{1} << 21;

/// How many rows a sampled row stands for, where the smallest cells to be cut have `rows_per_cell`
/// rows. With m samples a bracket holds 4.5 / sqrt(m) of a cell's rows; about 60 bytes are moved a
/// level for each sampled row and for each row inside, whose sum is least near the cube root.
inline Count sample_stride(Count rows_per_cell) {
  const double best = 0.4 * std::cbrt(static_cast<double>(rows_per_cell));
  return static_cast<Count>(std::clamp(best, 4.0, 64.0));
}

template <class ExecutionSpace, class Policy>
class Round {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Forest = CutForest<MemorySpace, Policy>;
  using Key = typename Forest::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using Active = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;

  Round(const ExecutionSpace& space, const Policy& policy,
        const Kokkos::View<typename Policy::Cell*, MemorySpace>& cells, const Active& active,
        int levels, Count rows, Workspace<MemorySpace>& workspace)
      : space_(space), workspace_(workspace), rows_(rows), segments_(active.extent(0)) {
    forest_.policy = policy;
    forest_.cells = cells;
    forest_.active = active;
    forest_.levels = levels;
    forest_.size = std::uint32_t{1} << levels;
    const Count nodes = segments_ * forest_.size;
    forest_.node = workspace.template get<CutNode<Key>>("fused::node", nodes);
    forest_.state = workspace.template get<NodeState>("fused::state", nodes);
    forest_.sweep_level = workspace.template get<std::int8_t>("fused::sweep_level", nodes);
    forest_.attempt = workspace.template get<std::uint8_t>("fused::attempt", nodes);
    forest_.range = workspace.template get<BoxRange>("fused::range", nodes);
    row_segments_ = workspace.template get<Segment>("fused::segments", segments_);
    wanted_ = workspace.template get<std::uint8_t>("fused::wanted", segments_);
    resolution_.failed = workspace.template get<std::uint8_t>("fused::failed", segments_);
    Kokkos::parallel_for("copse::fused::begin_round", Range(space, 0, nodes),
                         BeginRound<Forest, decltype(row_segments_), decltype(wanted_)>{
                             forest_, row_segments_, resolution_.failed});
    counts_.tiles = make_tiles(space, row_segments_, rows, segments_, workspace, "fused");
    counts_.size = forest_.size;
    const Count bins = counts_.tiles.bound * forest_.size;
    counts_.count = workspace.template get<LocalIndex>("fused::count", bins + 1);
    counts_.leaf = workspace.template get<std::uint8_t>("fused::leaf", rows);
    // Bins beyond the last tile are never written.
    Kokkos::deep_copy(space, counts_.count, LocalIndex{0});
    lists_.capacity = rows / rows_per_list_slot + 4096;
    lists_.key = workspace.template get<Key>("fused::list_key", 3 * lists_.capacity);
    lists_.row = workspace.template get<LocalIndex>("fused::list_row", lists_.capacity);
    lists_.slots = workspace.template get<Segment>("fused::list_slots", nodes);
    lists_.length = workspace.template get<Count>("fused::list_length", nodes);
    resolution_.leaf_total = workspace.template get<Count>("fused::leaf_total", nodes);
    tally_ = workspace.template get<Count>("fused::tally", 3);
  }

  /// Finds the exact cuts of all cells within the round's levels.
  template <class PointSet>
  void find_cuts(const PointSet& points) {
    take_sample(points);
    const int levels = forest_.levels;
    for (int steps = levels_per_sweep;; steps += levels_per_sweep) {
      // Rows are placed once cuts are sought as deep as the round goes.
      const bool last = steps >= levels;
      const auto [wanted, stuck, exact_levels] = look_round(last);
      if (stuck > 0) {
        cut_stuck_roots(points);  // their children are open now
      } else if (wanted > 0) {
        sweep(points, std::min(steps, levels), std::min(static_cast<int>(exact_levels), levels),
              last);
      } else if (last) {
        return;
      }
    }
  }

  /// Moves rows to their cells. `index_from` may be null: the rows' own numbers.
  template <class PointSet>
  void move(const PointSet& from, const PointSet& to, const LocalIndex* index_from,
            LocalIndex* index_to) {
    Kokkos::Profiling::ScopedRegion region("copse::fused::move");
    exclusive_scan(space_, Kokkos::subview(counts_.count, std::make_pair(Count{0}, bins())),
                   counts_.count);
    MoveArguments<MemorySpace> arg;
    for (int a = 0; a < 3; ++a) {
      arg.from[a] = from.data() + from.stride(1) * a;
      arg.to[a] = to.data() + to.stride(1) * a;
    }
    arg.index_from = index_from;
    arg.index_to = index_to;
    arg.levels = forest_.levels;
    arg.places = counts_;
    launch_multiway_move(space_, arg);
  }

  /// Writes the frontier after the round to `next`. \return its size and how many cells are open
  std::pair<std::uint32_t, std::uint32_t> list_frontier(const Active& next) {
    const auto size = workspace_.template get<std::uint32_t>("fused::frontier_size", 2);
    Kokkos::deep_copy(space_, size, std::uint32_t{0});
    Kokkos::parallel_scan("copse::fused::list_frontier", Range(space_, 0, segments_),
                          ListFrontier<Forest, Active>{forest_, next, size});
    std::uint32_t host_size[2];
    Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(host_size, 2);
    Kokkos::deep_copy(space_, host, size);
    space_.fence("copse::fused::list_frontier");
    return {host_size[0], host_size[1]};
  }

 private:
  Count bins() const { return counts_.tiles.bound * forest_.size; }

  template <class PointSet>
  void take_sample(const PointSet& points) {
    sample_.stride = sample_stride(rows_ / (segments_ * forest_.size / 2));
    sample_.size = rows_ / sample_.stride;
    const auto columns = [&](const std::string& name) {
      auto data = workspace_.template get<Real>(name, 3 * sample_.size);
      return Points<3, MemorySpace>(data.data(), sample_.size);
    };
    sample_.points = columns("fused::sample_points");
    sample_.spare = columns("fused::sample_spare");
    sample_.rows = workspace_.template get<Segment>("fused::sample_rows", forest_.nodes());
    sample_.leaf = workspace_.template get<std::uint8_t>("fused::sample_leaf", forest_.nodes());
    TakeSample take{};
    for (int a = 0; a < 3; ++a) {
      take.from[a] = points.data() + points.stride(1) * a;
      take.to[a] = sample_.points.data() + sample_.points.stride(1) * a;
    }
    take.stride = sample_.stride;
    take.seed = detail::sample_hash(segments_);
    Kokkos::parallel_for("copse::fused::take_sample", Range(space_, 0, sample_.size), take);
    Kokkos::parallel_for("copse::fused::assign_sample", Range(space_, 0, forest_.nodes()),
                         AssignSample<Forest, MemorySpace>{forest_, sample_});
  }

  /// Finds out which segments have open nodes or counts that a failure made worthless. \return how
  /// many; how many segments' own cells cannot be cut by sweeping; levels above all open nodes
  std::array<Count, 3> look_round(bool last) {
    Kokkos::deep_copy(space_, tally_, Count{0});
    Kokkos::deep_copy(space_, Kokkos::subview(tally_, 2), static_cast<Count>(forest_.levels));
    Kokkos::parallel_for("copse::fused::look_round", Range(space_, 0, segments_),
                         LookRound<Forest, decltype(wanted_), decltype(tally_)>{
                             forest_, wanted_, resolution_.failed, last, tally_});
    std::array<Count, 3> found{};
    Kokkos::View<Count*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(found.data(), 3);
    Kokkos::deep_copy(space_, host, tally_);
    space_.fence("copse::fused::look_round");
    return found;
  }

  template <class PointSet>
  void sweep(const PointSet& points, int steps, int exact_levels, bool last) {
    const Count nodes = forest_.nodes();
    Kokkos::deep_copy(space_, lists_.slots, Segment{});
    Kokkos::deep_copy(space_, lists_.length, Count{0});
    {
      Kokkos::Profiling::ScopedRegion region("copse::fused::bracket");
      bracket_cuts(space_, forest_, sample_, levels_per_sweep, lists_.slots, workspace_);
      Kokkos::parallel_scan("copse::fused::list_slots", Range(space_, 0, nodes),
                            ReserveSlots<decltype(lists_.slots)>{lists_.slots, lists_.capacity});
    }
    {
      Kokkos::Profiling::ScopedRegion region("copse::fused::sweep");
      SweepArguments<MemorySpace, Forest> arg;
      for (int a = 0; a < 3; ++a) arg.column[a] = points.data() + points.stride(1) * a;
      arg.forest = forest_;
      arg.counts = counts_;
      arg.lists = lists_;
      arg.steps = steps;
      arg.exact_levels = std::min(exact_levels, steps);
      arg.places_rows = last;
      arg.wanted = wanted_;
      launch_sweep(space_, arg);
    }
    Kokkos::Profiling::ScopedRegion region("copse::fused::resolve");
    if (last) Kokkos::deep_copy(space_, resolution_.failed, std::uint8_t{0});
    resolution_.places_rows = last;
    resolution_.forest = forest_;
    resolution_.counts = counts_;
    resolution_.lists = lists_;
    resolve_cuts(space_, resolution_, levels_per_sweep, workspace_);
  }

  /// Cells that even their own list could not cut, because too many of their keys are equal: an
  /// exact selection over all their rows, as bisect() does.
  template <class PointSet>
  void cut_stuck_roots(const PointSet& points) {
    using LevelT = TreeLevel<MemorySpace, Policy>;
    LevelT level;
    level.policy = forest_.policy;
    level.cells = forest_.cells;
    level.active = forest_.active;
    level.rows = rows_;
    level.segments = workspace_.template get<Segment>("fused::stuck_segments", segments_);
    level.ranks = workspace_.template get<Count>("fused::stuck_ranks", segments_);
    level.threshold = workspace_.template get<Key>("fused::stuck_threshold", segments_);
    Kokkos::parallel_for("copse::fused::stuck_prepare", Range(space_, 0, segments_),
                         detail::PrepareCuts<LevelT, PointSet>{level, points});
    Kokkos::parallel_for("copse::fused::stuck_mask", Range(space_, 0, segments_),
                         MaskStuck<Forest, LevelT>{forest_, level});
    using Keys = LevelKeys<Policy, PointSet, decltype(level.cells), decltype(level.active)>;
    const Keys keys{forest_.policy, points, level.cells, level.active};
    SelectCuts{}(space_, keys, level, workspace_);
    const auto plan =
        plan_partition(space_, keys, level.segments, level.threshold, rows_, workspace_);
    Kokkos::parallel_for(
        "copse::fused::stuck_split", Range(space_, 0, segments_),
        SplitStuck<Forest, LevelT, decltype(plan.summary)>{forest_, level, plan.summary});
  }

  ExecutionSpace space_;
  Workspace<MemorySpace>& workspace_;
  Count rows_;
  Count segments_;
  Forest forest_;
  Segments<MemorySpace> row_segments_;
  TileCounts<MemorySpace> counts_;
  InsideLists<MemorySpace, Key> lists_;
  Resolution<MemorySpace, Forest> resolution_;
  Sample<MemorySpace> sample_;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted_;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> tally_;
};

}  // namespace fused

/// Builds the tree that `bisect` builds, bitwise, and leaves the points in the same order.
/// Arguments as for `bisect`, but `permutation` need not be set: it starts as the rows' own
/// numbers. Cells of fewer than `least_rows` rows on average are left to it.
///
/// Work O(n levels); memory beside the arguments: lists of 16 bytes for a sixth of the rows, a
/// sample of a 32nd of the points, 8 bytes for each leaf slot of each tile of 4096 rows.
template <class ExecutionSpace, class Policy>
void bisect_fused(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, BisectionArrays<3, typename ExecutionSpace::memory_space> arrays,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Count least_rows = fused::least_rows_per_cell) {
  const Count rows = arrays.points.extent(0);
  const Count most = Count{1} << levels;
  auto active = workspace.template get<std::uint32_t>("bisect::active", most);
  auto next = workspace.template get<std::uint32_t>("bisect::next_active", most);
  Kokkos::deep_copy(space, Kokkos::subview(active, std::make_pair(0, 1)), std::uint32_t{1});
  std::uint32_t size = 1;
  std::uint32_t open = levels > 0 ? 1 : 0;
  int done = 0;  // levels cut, but for cells that were stuck
  if (rows / size < least_rows || open == 0) number_rows(space, arrays.permutation);
  while (open > 0 && rows / size >= least_rows) {
    const int rounds = (levels - done + fused::most_levels - 1) / fused::most_levels;
    const int here = rounds > 0 ? (levels - done + rounds - 1) / rounds : 1;
    fused::Round<ExecutionSpace, Policy> round(
        space, policy, cells, Kokkos::subview(active, std::make_pair(std::uint32_t{0}, size)), here,
        rows, workspace);
    round.find_cuts(arrays.points);
    // Rows are numbered as they come, so the first round need not read their numbers.
    round.move(arrays.points, arrays.spare_points, done == 0 ? nullptr : arrays.permutation.data(),
               arrays.spare_permutation.data());
    std::swap(arrays.points, arrays.spare_points);
    std::swap(arrays.permutation, arrays.spare_permutation);
    std::tie(size, open) = round.list_frontier(next);
    std::swap(active, next);
    done += here;
  }
  if (open > 0)
    bisect_frontier(space, policy, cells, levels, arrays, workspace, active, next, size);
}

}  // namespace copse
