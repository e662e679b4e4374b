#pragma once
/// \file
/// Brackets for several levels of cuts from a random sample of the particles.
///
/// The sample is a small set of points under the same tree. For each open node the sample keys at
/// the wanted rank plus and minus four and a half standard deviations bracket the cut, and the key
/// at the rank itself divides the sample for the next level. If a node's axis depends on the exact
/// cuts above it (a cube's three sides after three cuts), it stays open for the next sweep, when
/// its box is known.

#include "cut_forest.hpp"
#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse::orb::fused {

/// With fewer sampled keys there is no bracket; the node lists all its particles.
inline constexpr Count least_sample = 32;

/// The sample of a round, sorted by segment and within a segment by sample leaf.
template <class MemorySpace>
struct Sample {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Points<3, MemorySpace> points;
  Points<3, MemorySpace> spare;
  Array<Segment> rows;       ///< [nodes] the node's samples
  Array<std::uint8_t> leaf;  ///< [nodes] is the sample undivided below the node?
  Count size = 0;
  Count stride = 1;  ///< particles per sample
};

/// Takes one random particle out of every `stride`.
struct TakeSample {
  const Real* from[3];
  Real* to[3];
  Count stride;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(Count j) const {
    const Count row = j * stride + sample_hash(seed + j) % stride;
    for (int a = 0; a < 3; ++a) to[a][j] = from[a][row];
  }
};

/// Keys of the sample along the axes of the nodes; `Per` selections share a node.
template <class PointSet, class NodeArray, int Per>
struct SampleKeys {
  PointSet points;
  NodeArray node;

  struct OfAxis {
    const Real* column;
    KOKKOS_FORCEINLINE_FUNCTION auto operator()(Count row) const {
      return ordered_key(column[row]);
    }
  };
  KOKKOS_FUNCTION OfAxis segment(Count s) const {
    return OfAxis{points.data() + points.stride(1) * node(s / Per).axis};
  }
};

/// Arguments of the kernels of one bracket level.
template <class MemorySpace, class Forest>
struct BracketLevel {
  using Key = typename Forest::Key;
  using Value = typename Forest::Value;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Forest forest;
  Sample<MemorySpace> sample;
  int level = 0;  ///< below the open nodes of this sweep
  /// Three per node: low end, middle, high end; rank 0 if there is nothing to select.
  Array<Segment> segments;
  Array<Count> ranks;
  Array<Selected<Key>> selected;
  Array<Segment> divided;  ///< [nodes] the node's samples if it is a sample leaf, otherwise empty
  Array<Key> threshold;    ///< [nodes] where to divide them; ~0: do not divide
  Array<Segment> slots;    ///< [nodes] .end: capacity wanted for the particles inside the bracket
};

/// Selects this level's nodes for bracketing: chooses axes and sample ranks.
template <class Bracketing>
struct ChooseSampleRanks {
  Bracketing b;

  /// An open node, or a child of a node bracketed on the previous level (SetBrackets).
  KOKKOS_FUNCTION bool is_due(Count k) const {
    const auto& f = b.forest;
    if (b.level == 0) return f.state(k) == NodeState::open;
    return f.sweep_level(k) == b.level && f.policy.open(f.cell(k));
  }

  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = b.forest;
    for (int q = 0; q < 3; ++q) b.ranks(3 * k + q) = 0;
    if (!is_due(k)) return;
    const auto& cell = f.cell(k);
    if (b.level == 0) f.range(k) = {cell.lower, cell.lower, cell.upper, cell.upper};
    const int axis = certain_axis(f.policy, f.range(k), f.slot(k));
    if (axis < 0) return;
    f.node(k).axis = axis;
    f.state(k) = NodeState::bracketed;
    f.sweep_level(k) = static_cast<std::int8_t>(b.level);

    const Segment rows = b.sample.rows(k);
    const Count m = rows.size();
    const Count n = cell.end - cell.begin;
    if (m < least_sample || n == 0) return;
    const double p = static_cast<double>(f.policy.rank(cell)) / static_cast<double>(n);
    // Doubled after a miss.
    const double deviations = 4.5 * (1 + f.attempt(k));
    const double margin = deviations * Kokkos::sqrt(m * p * (1.0 - p)) + 1.0;
    const double middle = Kokkos::round(m * p);
    const double low = Kokkos::floor(m * p - margin);
    const double high = Kokkos::ceil(m * p + margin);
    for (int q = 0; q < 3; ++q) b.segments(3 * k + q) = rows;
    if (low >= 1.0) b.ranks(3 * k) = static_cast<Count>(low);
    b.ranks(3 * k + 1) = middle < 1.0 ? 1 : middle > m ? m : static_cast<Count>(middle);
    if (high <= m) b.ranks(3 * k + 2) = static_cast<Count>(high);
  }
};

/// Stores the brackets and makes provisional children. Their leaf counts are exact; their particle
/// counts and boxes are accurate enough to bracket the next level.
template <class Bracketing>
struct SetBrackets {
  using Key = typename Bracketing::Key;
  Bracketing b;

  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = b.forest;
    const Segment none{0, 0};
    b.divided(k) = b.sample.leaf(k) ? b.sample.rows(k) : none;
    b.threshold(k) = static_cast<Key>(~Key{0});
    if (f.state(k) != NodeState::bracketed || f.sweep_level(k) != b.level) return;
    const bool has_low = b.ranks(3 * k) > 0;
    const bool has_high = b.ranks(3 * k + 2) > 0;
    auto& node = f.node(k);
    node.low = has_low ? b.selected(3 * k).key : Key{0};
    node.high = has_high ? b.selected(3 * k + 2).key : static_cast<Key>(~Key{0});
    auto& cell = f.cell(k);
    const Count n = cell.end - cell.begin;
    b.slots(k).end = room(k, n, has_low, has_high);

    const int axis = node.axis;
    cell.cut_axis = axis;
    const Count rank = f.policy.rank(cell);
    using Value = typename Bracketing::Value;
    Value middle = cell.lower[axis];
    if (b.ranks(3 * k + 1) > 0) {
      b.threshold(k) = b.selected(3 * k + 1).key;
      middle = from_ordered_key<Value>(b.threshold(k));
    }
    if (!f.has_child_nodes(k)) return;
    const Count left = f.left_child(k);
    make_children(f.policy, cell, Cut<Value>{rank, n - rank, middle, middle}, f.cell(left),
                  f.cell(left + 1));
    f.sweep_level(left) = f.sweep_level(left + 1) = static_cast<std::int8_t>(b.level + 1);
    const BoxRange range = f.range(k);
    f.range(left) = f.range(left + 1) = range;
    const Value low = has_low ? from_ordered_key<Value>(node.low) : range.lower_min[axis];
    const Value high = has_high ? from_ordered_key<Value>(node.high) : range.upper_max[axis];
    f.range(left).upper_min[axis] = f.range(left + 1).lower_min[axis] = low;
    f.range(left).upper_max[axis] = f.range(left + 1).lower_max[axis] = high;
  }

  /// A quarter more than expected inside, plus slack for small numbers.
  KOKKOS_FUNCTION Count room(Count k, Count n, bool has_low, bool has_high) const {
    if (b.ranks(3 * k + 1) == 0) return n;
    const double m = static_cast<double>(b.sample.rows(k).size());
    const double from = has_low ? static_cast<double>(b.ranks(3 * k)) : 0.0;
    const double to = has_high ? static_cast<double>(b.ranks(3 * k + 2)) : m;
    const Count wanted = static_cast<Count>(1.25 * (1 + b.forest.attempt(k)) * (to - from) / m *
                                            static_cast<double>(n)) +
                         256;
    return wanted < n ? wanted : n;
  }
};

/// Passes the samples of divided nodes to their children.
template <class Bracketing, class Summary>
struct DivideSample {
  Bracketing b;
  Summary summary;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = b.forest;
    if (f.state(k) != NodeState::bracketed || f.sweep_level(k) != b.level) return;
    if (!f.has_child_nodes(k) || !b.sample.leaf(k)) return;
    const Count left = f.left_child(k);
    const Segment rows = b.sample.rows(k);
    const Count middle = rows.begin + summary(k).left;
    b.sample.leaf(k) = 0;
    b.sample.rows(left) = {rows.begin, middle};
    b.sample.rows(left + 1) = {middle, rows.end};
    b.sample.leaf(left) = b.sample.leaf(left + 1) = 1;
  }
};

/// Brackets the cuts of all open nodes and of up to `depth` - 1 levels of descendants. Sets
/// `slots(k).end` to the list capacity for node k; it must be 0 before.
template <class ExecutionSpace, class MemorySpace, class Forest>
void bracket_cuts(const ExecutionSpace& space, const Forest& forest, Sample<MemorySpace>& sample,
                  int depth, const Kokkos::View<Segment*, Kokkos::LayoutLeft, MemorySpace>& slots,
                  Workspace<MemorySpace>& workspace) {
  using Key = typename Forest::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Count nodes = forest.nodes();
  BracketLevel<MemorySpace, Forest> b;
  b.forest = forest;
  b.segments = workspace.template get<Segment>("fused::sample_segments", 3 * nodes);
  b.ranks = workspace.template get<Count>("fused::sample_ranks", 3 * nodes);
  b.selected = workspace.template get<Selected<Key>>("fused::sample_selected", 3 * nodes);
  b.divided = workspace.template get<Segment>("fused::sample_divided", nodes);
  b.threshold = workspace.template get<Key>("fused::sample_threshold", nodes);
  b.slots = slots;
  Kokkos::deep_copy(space, b.segments, Segment{});
  Kokkos::deep_copy(space, forest.sweep_level, std::int8_t{-1});
  for (b.level = 0; b.level < depth; ++b.level) {
    b.sample = sample;
    using Bracketing = decltype(b);
    Kokkos::parallel_for("copse::fused::sample_ranks", Range(space, 0, nodes),
                         ChooseSampleRanks<Bracketing>{b});
    using PointSet = Points<3, MemorySpace>;
    const SampleKeys<PointSet, decltype(forest.node), 3> select_keys{sample.points, forest.node};
    segmented_select(space, select_keys, b.segments, b.ranks, 3 * sample.size, b.selected,
                     workspace);
    Kokkos::parallel_for("copse::fused::set_brackets", Range(space, 0, nodes),
                         SetBrackets<Bracketing>{b});
    const SampleKeys<PointSet, decltype(forest.node), 1> keys{sample.points, forest.node};
    const auto plan = plan_partition(space, keys, b.divided, b.threshold, sample.size, workspace);
    run_partition(space, keys, plan, with_points(no_columns(), sample.points, sample.spare));
    Kokkos::parallel_for("copse::fused::divide_sample", Range(space, 0, nodes),
                         DivideSample<Bracketing, decltype(plan.summary)>{b, plan.summary});
    std::swap(sample.points, sample.spare);
  }
}

}  // namespace copse::orb::fused
