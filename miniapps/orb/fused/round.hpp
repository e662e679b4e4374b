#pragma once
/// \file
/// A round of the fused engine: cuts every cell of the frontier up to six times, exactly, and then
/// moves every particle once. See fused_bisection.hpp for the method.
///
/// Invariant between sweeps: each node is cut exactly, or open with an exact box, or below an open
/// node. The frontier's cells still tile the rows, as no particle has moved.

#include "resolve_cuts.hpp"
#include "round_plan.hpp"
#include "round_state.hpp"
#include "sample_brackets.hpp"
#include "sweep.hpp"
#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace copse::orb::fused {

/// Particles per sample, if the smallest cells to be cut have `rows_per_cell` particles. With m
/// samples a bracket holds the fraction 4.5 / sqrt(m) of a cell's particles. About 60 bytes are
/// moved per level for each sampled particle and for each particle inside; their sum is minimal
/// near the cube root.
inline Count sample_stride(Count rows_per_cell) {
  const double best = 0.4 * std::cbrt(static_cast<double>(rows_per_cell));
  return static_cast<Count>(std::clamp(best, 4.0, 64.0));
}

/// Slots of the lists: a tenth more than one sweep's brackets are expected to need (SetBrackets) if
/// it cuts three levels down to cells of `rows_per_cell` particles, but at least for a quarter of
/// the particles.
inline Count list_capacity(Count rows, Count rows_per_cell) {
  const double cell = static_cast<double>(std::max<Count>(rows_per_cell, 1));
  const double samples = cell / static_cast<double>(sample_stride(rows_per_cell));
  const double inside = 1.25 * 4.5 / std::sqrt(samples);  // share of the smallest cells
  const double share = 1.1 * (inside * (1 + 0.71 + 0.5) + 256 / cell * (1 + 0.5 + 0.25));
  return static_cast<Count>(std::clamp(share, 0.25, 1.0) * static_cast<double>(rows)) + 4096;
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
    counts_.part = workspace.template get<std::uint8_t>("fused::leaf", rows);
    // The sweep never writes bins beyond the last tile.
    Kokkos::deep_copy(space, counts_.count, LocalIndex{0});
    lists_.capacity = list_capacity(rows, rows / (nodes / 2));
    lists_.key = workspace.template get<Key>("fused::list_key", 3 * lists_.capacity);
    lists_.row = workspace.template get<LocalIndex>("fused::list_row", lists_.capacity);
    lists_.slots = workspace.template get<Segment>("fused::list_slots", nodes);
    lists_.length = workspace.template get<Count>("fused::list_length", nodes);
    resolution_.leaf_total = workspace.template get<Count>("fused::leaf_total", nodes);
    resolution_.bins = make_key_bins<Key>(space, nodes, workspace);
    tally_ = workspace.template get<Count>("fused::tally", 3);
  }

  /// Workspace bytes of a round.
  static Count workspace_bytes(Count rows, Count segments, int levels) {
    const Count size = Count{1} << levels;
    const Count nodes = segments * size;
    constexpr Count of_forest =
        sizeof(CutNode<Key>) + sizeof(NodeState) + 2 * sizeof(std::int8_t) + sizeof(BoxRange);
    constexpr Count of_lists =
        2 * sizeof(Segment) + 4 * sizeof(Count) + sizeof(PartitionSummary<Key>);
    constexpr Count of_sample =
        3 * sizeof(Segment) + sizeof(std::uint8_t) + sizeof(SampleRanks) + sizeof(Key);
    const Count listed = list_capacity(rows, rows / (nodes / 2));
    const Count sampled = rows / sample_stride(rows / (nodes / 2));
    const Count places = (rows / tile_size + segments) * size * sizeof(LocalIndex) + rows;
    return nodes * (of_forest + of_lists + of_sample) + segments * sizeof(Segment) + places +
           tile_table_bytes(segments, rows, segments) + tile_table_bytes(nodes, listed, nodes) +
           tile_table_bytes(nodes, sampled, nodes) +
           KeyBins<MemorySpace, Key>::workspace_bytes(nodes) +
           listed * (3 * sizeof(Key) + sizeof(LocalIndex)) + 2 * sampled * 3 * sizeof(Real);
  }

  /// Finds the exact cuts of all cells within the round's levels.
  template <class PointSet>
  void find_cuts(const PointSet& points) {
    take_sample(points);
    const int levels = forest_.levels;
    for (int steps = levels_per_sweep;; steps += levels_per_sweep) {
      // The sweep that reaches the round's full depth assigns particles to leaf slots.
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

  /// Moves particles to their cells. A null `index_from` stands for the identity; with a null
  /// `index_to` only the points move.
  template <class PointSet>
  void move(const PointSet& from, const PointSet& to, const LocalIndex* index_from,
            LocalIndex* index_to) {
    Kokkos::Profiling::ScopedRegion region("copse::fused::move");
    exclusive_scan(space_, Kokkos::subview(counts_.count, std::make_pair(Count{0}, bins())),
                   counts_.count);
    MultiwayColumns<MemorySpace> arg;
    for (int a = 0; a < 3; ++a) {
      arg.from[a] = from.data() + from.stride(1) * a;
      arg.to[a] = to.data() + to.stride(1) * a;
    }
    arg.row_from = index_from;
    arg.row_to = index_to;
    arg.places = counts_;
    multiway_partition("copse::fused::move", space_, arg);
  }

  /// Writes the frontier after the round to `next`. \return its size and the number of open cells
  std::pair<std::uint32_t, std::uint32_t> list_frontier(const Active& next) {
    const auto size = workspace_.template get<std::uint32_t>("fused::frontier_size", 2);
    Kokkos::deep_copy(space_, size, std::uint32_t{0});
    Kokkos::parallel_scan("copse::fused::list_frontier", Range(space_, 0, forest_.nodes()),
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
    sample_.stride = sample_stride(rows_ / (forest_.nodes() / 2));
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
    take.seed = sample_hash(segments_);
    Kokkos::parallel_for("copse::fused::take_sample", Range(space_, 0, sample_.size), take);
    Kokkos::parallel_for("copse::fused::assign_sample", Range(space_, 0, forest_.nodes()),
                         AssignSample<Forest, MemorySpace>{forest_, sample_});
  }

  /// Finds the segments that have open nodes or whose counts a failure invalidated. \return their
  /// number; the number of segments whose own cell cannot be cut by sweeping; the number of levels
  /// above all open nodes
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
    const int depth = std::min(levels_per_sweep, forest_.levels - exact_levels);
    Kokkos::deep_copy(space_, lists_.slots, Segment{});
    Kokkos::deep_copy(space_, lists_.length, Count{0});
    {
      Kokkos::Profiling::ScopedRegion region("copse::fused::bracket");
      bracket_cuts(space_, forest_, sample_, exact_levels, depth, resolution_.bins, lists_.slots,
                   workspace_);
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
    resolve_cuts(space_, resolution_, depth, workspace_);
  }

  /// Cuts cells that failed even with a list of their own, because too many keys are equal: an
  /// exact selection over all their particles, as in bisect().
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
                         PrepareStuck<LevelT, PointSet>{level, points});
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
  MultiwayPlaces<MemorySpace> counts_;
  InsideLists<MemorySpace, Key> lists_;
  Resolution<MemorySpace, Forest> resolution_;
  Sample<MemorySpace> sample_;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted_;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> tally_;
};

}  // namespace copse::orb::fused
