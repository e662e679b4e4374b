#pragma once
/// \file
/// The bookkeeping kernels of a round of the fused engine: its start, its remaining work, its end,
/// and the cells that only a selection over all their particles can cut.

#include "cut_forest.hpp"
#include "sample_brackets.hpp"
#include <copse/algorithms/segments.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb::fused {

template <class Forest, class SegmentView, class Flags>
struct BeginRound {
  Forest forest;
  SegmentView segments;
  Flags failed;
  KOKKOS_FUNCTION void operator()(Count k) const {
    using Key = typename Forest::Key;
    forest.node(k) = CutNode<Key>::all_left();
    forest.state(k) = NodeState::absent;
    forest.attempt(k) = 0;
    if (forest.heap_index(k) != 1) return;
    const auto& cell = forest.cell(k);
    const Count s = k / forest.size;
    segments(s) = {cell.begin, cell.end};
    forest.state(k) = forest.policy.open(cell) ? NodeState::open : NodeState::closed;
    failed(s) = 1;  // at least one sweep must assign particles to leaf slots
  }
};

/// Assigns to every segment the sampled particles that certainly belong to it.
template <class Forest, class MemorySpace>
struct AssignSample {
  Forest forest;
  Sample<MemorySpace> sample;
  KOKKOS_FUNCTION void operator()(Count k) const {
    sample.rows(k) = {0, 0};
    sample.leaf(k) = 0;
    if (forest.heap_index(k) != 1) return;
    const auto& cell = forest.cell(k);
    const Count begin = (cell.begin + sample.stride - 1) / sample.stride;
    Count end = cell.end / sample.stride;
    if (end > sample.size) end = sample.size;
    if (begin < end) sample.rows(k) = {begin, end};
    sample.leaf(k) = 1;
  }
};

template <class Forest, class Flags, class Tally>
struct LookRound {
  Forest forest;
  Flags wanted;
  Flags failed;
  bool last;  ///< does the next sweep assign leaf slots?
  /// [0] segments to sweep, [1] segments whose own cell cannot be cut by sweeping, [2] levels above
  /// the topmost open node
  Tally tally;
  KOKKOS_FUNCTION void operator()(Count s) const {
    const Count first = s * forest.size;
    std::uint32_t i = 1;
    while (i < forest.size && forest.state(first + i) != NodeState::open) ++i;
    const bool open = i < forest.size;
    wanted(s) = open || (last && failed(s) != 0);
    if (open) Kokkos::atomic_min(&tally(2), static_cast<Count>(forest.depth(i)));
    if (wanted(s)) Kokkos::atomic_inc(&tally(0));
    if (is_stuck(forest, s)) Kokkos::atomic_inc(&tally(1));
  }
  /// A cell that should be cut but was tried and closed.
  KOKKOS_FUNCTION static bool is_stuck(const Forest& forest, Count s) {
    const Count root = s * forest.size + 1;
    return forest.state(root) == NodeState::closed && forest.policy.open(forest.cell(root));
  }
};

/// Turns each list's wanted capacity into consecutive slots within the lists.
template <class SlotsView>
struct ReserveSlots {
  SlotsView slots;
  Count capacity;
  KOKKOS_FUNCTION void operator()(Count k, Count& sum, bool final) const {
    // The first list always fits, so every sweep makes progress.
    const Count wanted = slots(k).end < capacity ? slots(k).end : capacity;
    if (final)
      slots(k) =
          sum + wanted <= capacity ? Segment{sum, sum + wanted} : Segment{capacity, capacity};
    sum += wanted;
  }
};

template <class LevelT, class PointSet>
struct PrepareStuck {
  LevelT level;
  PointSet points;
  KOKKOS_FUNCTION void operator()(Count s) const { prepare_cut(level, points, s); }
};

/// Leaves only the stuck cells of a level to be cut.
template <class Forest, class LevelT>
struct MaskStuck {
  Forest forest;
  LevelT level;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (LookRound<Forest, int, int>::is_stuck(forest, s)) return;
    level.segments(s).end = level.segments(s).begin;
    level.ranks(s) = 0;
  }
};

template <class Forest, class LevelT, class Summary>
struct SplitStuck {
  Forest forest;
  LevelT level;
  Summary summary;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (!LookRound<Forest, int, int>::is_stuck(forest, s)) return;
    const Count root = s * forest.size + 1;
    split_cell(level, level.active(s), summary(s));
    forest.node(root) =
        CutNode<typename Forest::Key>::exact(level.threshold(s), forest.cell(root).cut_axis);
    forest.state(root) = NodeState::cut;
    forest.open_children(root);
  }
};

/// Lists the cells that are not cut further in this round, from left to right. One item per segment
/// and leaf slot: the first leaf slot below a cell stands for it.
template <class Forest, class Active>
struct ListFrontier {
  Forest forest;
  Active next;
  Active size;  ///< [0] number of cells, [1] number of those still to be cut
  KOKKOS_FUNCTION void operator()(Count k, std::uint32_t& sum, bool final) const {
    const Count first = k - forest.heap_index(k);
    const std::uint32_t leaf = forest.heap_index(k);
    std::uint32_t i = 1;
    int depth = 0;
    while (depth < forest.levels && forest.state(first + i) == NodeState::cut) {
      i = 2 * i + ((leaf >> (forest.levels - 1 - depth)) & 1);
      ++depth;
    }
    const bool stands_for_cell = leaf % (std::uint32_t{1} << (forest.levels - depth)) == 0;
    if (final && stands_for_cell) {
      const std::uint32_t slot =
          (forest.active(k / forest.size) << depth) + (i - (std::uint32_t{1} << depth));
      next(sum) = slot;
      if (forest.policy.open(forest.cells(slot))) Kokkos::atomic_inc(&size(1));
    }
    sum += stands_for_cell;
    if (final && k + 1 == forest.nodes()) size(0) = sum;
  }
};

}  // namespace copse::orb::fused
