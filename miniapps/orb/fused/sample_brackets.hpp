#pragma once
/// \file
/// Brackets for several levels of cuts from a random sample of the particles.
///
/// The sample is a small set of points under the same tree. For each open node two passes over its
/// sample (key_bins.hpp) find the bins of the wanted rank and of that rank plus and minus four and
/// a half standard deviations. The outer ends of the outer bins bracket the cut, and an end of the
/// bin in the middle divides the sample for the next level. If a node's axis depends on the exact
/// cuts above it (a cube's three sides after three cuts), it stays open for the next sweep, when
/// its box is known.

#include "cut_forest.hpp"
#include "device_nodes.hpp"
#include "key_bins.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/split_mix.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse::orb::fused {

/// With fewer sampled keys there is no bracket; the node lists all its particles.
inline constexpr Count least_sample = 32;

/// The sample of a round, grouped by segment and within a segment by sample leaf.
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

/// Keys of the sample along the axes of the nodes.
template <class PointSet, class NodeArray>
struct SampleKeys {
  PointSet points;
  NodeArray node;

  struct OfAxis {
    const Real* column;
    KOKKOS_FORCEINLINE_FUNCTION auto operator()(Count row) const {
      return ordered_key(column[row]);
    }
  };
  KOKKOS_FUNCTION OfAxis segment(Count k) const {
    return OfAxis{points.data() + points.stride(1) * node(k).axis};
  }
};

/// Ranks in a node's sample: of the bracket's low end, of the cut, and of the high end. The low
/// rank is 0 and the high rank greater than the sample if there is no such end.
using SampleRanks = Kokkos::Array<Count, 3>;

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
  KeyBins<MemorySpace, Key> bins;
  Array<SampleRanks> ranks;  ///< [nodes]
  Array<Segment> undivided;  ///< [nodes] the node's samples if it is a sample leaf, otherwise empty
  Array<Key> threshold;      ///< [nodes] of the keys on the left of a divided sample
  /// [nodes] where the next samples on the left go (begin) and on the right (end), while a sample
  /// is divided
  Array<Segment> next;
  Array<Segment> slots;  ///< [nodes] .end: capacity wanted for the particles inside the bracket
};

/// Makes the samples of nodes that are open again undivided, as a failed node's are divided.
template <class Forest, class MemorySpace>
struct UniteSamples {
  Forest forest;
  Sample<MemorySpace> sample;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const std::uint32_t i = forest.heap_index(k);
    if (i == 0) return;
    if (forest.state(k) == NodeState::open && sample.rows(k).size() > 0) sample.leaf(k) = 1;
    for (std::uint32_t above = i / 2; above > 0; above /= 2)
      if (forest.state(k - i + above) == NodeState::open) sample.leaf(k) = 0;
  }
};

/// Selects this level's nodes for bracketing: chooses axes and sample ranks.
template <class Bracketing>
struct ChooseSampleRanks {
  using Value = typename Bracketing::Value;
  Bracketing b;

  /// An open node, or a child of a node bracketed on the previous level (SetBrackets).
  KOKKOS_FUNCTION bool is_due(Count k) const {
    const auto& f = b.forest;
    if (b.level == 0) return f.state(k) == NodeState::open;
    return f.sweep_level(k) == b.level && f.policy.open(f.cell(k));
  }

  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = b.forest;
    b.bins.range(k).searched = false;
    b.undivided(k) = b.sample.leaf(k) ? b.sample.rows(k) : Segment{0, 0};
    if (!is_due(k)) return;
    const auto& cell = f.cell(k);
    if (b.level == 0) f.range(k) = {cell.lower, cell.lower, cell.upper, cell.upper};
    const int axis = certain_axis(f.policy, f.range(k), f.slot(k));
    if (axis < 0) return;
    f.node(k).axis = axis;
    f.state(k) = NodeState::bracketed;
    f.sweep_level(k) = static_cast<std::int8_t>(b.level);

    const Count m = b.sample.rows(k).size();
    const Count n = cell.end - cell.begin;
    b.ranks(k) = {0, 0, m + 1};
    if (m < least_sample || n == 0) return;
    const double p = static_cast<double>(f.policy.rank(cell)) / static_cast<double>(n);
    // Doubled after a miss.
    const double deviations = 4.5 * (1 + f.attempt(k));
    const double margin = deviations * Kokkos::sqrt(m * p * (1.0 - p)) + 1.0;
    const double middle = Kokkos::round(m * p);
    const double low = Kokkos::floor(m * p - margin);
    const double high = Kokkos::ceil(m * p + margin);
    if (low >= 1.0) b.ranks(k)[0] = static_cast<Count>(low);
    b.ranks(k)[1] = middle < 1.0 ? 1 : middle > m ? m : static_cast<Count>(middle);
    if (high <= m) b.ranks(k)[2] = static_cast<Count>(high);
    // The parent's sample was divided near its cut, so some samples may be beyond the faces.
    // Samples farther out than this are not counted; a bracket that misses because of them is
    // retried.
    const Value lower = f.range(k).lower_min[axis], upper = f.range(k).upper_max[axis];
    const Value extent = upper - lower;
    b.bins.range(k) = {ordered_key(lower - extent), ordered_key(upper + extent), 0, true};
  }
};

/// Shrinks the ranges of the nodes to the bins of their brackets.
template <class ExecutionSpace, class Bracketing>
struct NarrowBrackets {
  using Pick = PickBins<ExecutionSpace, 3>;
  Bracketing b;

  KOKKOS_FUNCTION void operator()(const typename Pick::Team& team) const {
    const Count k = team.league_rank();
    const auto range = b.bins.range(k);
    if (!range.searched) return;
    const int bits = b.bins.bits;
    const auto found = Pick::pick(team, b.bins.of_node(k), 1 << bits, b.ranks(k));
    if (team.team_rank() > 0) return;
    b.bins.range(k) = {range.first_of(found(0).bin, bits), range.last_of(found(2).bin, bits),
                       found(0).below, true};
  }
};

/// Picks the brackets and makes provisional children. Their leaf counts are exact; their particle
/// counts and boxes are accurate enough to bracket the next level.
template <class ExecutionSpace, class Bracketing>
struct SetBrackets {
  using Key = typename Bracketing::Key;
  using Value = typename Bracketing::Value;
  using Pick = PickBins<ExecutionSpace, 3>;
  Bracketing b;

  KOKKOS_FUNCTION void operator()(const typename Pick::Team& team) const {
    const Count k = team.league_rank();
    if (!b.forest.is_bracketed(k, b.level)) return;
    const auto& f = b.forest;
    const auto range = b.bins.range(k);
    const auto& cell = f.cell(k);
    const Count n = cell.end - cell.begin;
    const Count m = b.sample.rows(k).size();
    auto& node = f.node(k);
    if (!range.searched) {  // too few samples: every particle is inside, every sample on the left
      if (team.team_rank() > 0) return;
      node.low = 0;
      node.high = static_cast<Key>(~Key{0});
      b.slots(k).end = n;
      return pass_on(k, cell.lower[node.axis], static_cast<Key>(~Key{0}), m, false, false);
    }
    const SampleRanks rank = b.ranks(k);
    const int bits = b.bins.bits;
    SampleRanks counted;
    for (int q = 0; q < 3; ++q) counted[q] = rank[q] > range.below ? rank[q] - range.below : 0;
    const auto found = Pick::pick(team, b.bins.of_node(k), 1 << bits, counted);
    if (team.team_rank() > 0) return;
    const bool has_low = rank[0] > 0;
    const bool has_high = rank[2] <= m;
    node.low = has_low ? range.first_of(found(0).bin, bits) : Key{0};
    node.high = has_high ? range.last_of(found(2).bin, bits) : static_cast<Key>(~Key{0});
    const Count below = has_low ? range.below + found(0).below : 0;
    const Count up_to = has_high ? range.below + found(2).below + found(2).inside : m;
    b.slots(k).end = room(k, n, up_to - below, m);

    // The end of the bin in the middle that is nearer to the rank.
    Count left = range.below + found(1).below;
    Key threshold = static_cast<Key>(range.first_of(found(1).bin, bits) - 1);
    if (left == 0 || rank[1] - left > left + found(1).inside - rank[1]) {
      left += found(1).inside;
      threshold = range.last_of(found(1).bin, bits);
    }
    pass_on(k, upper_end<Value>(threshold), threshold, left, has_low, has_high);
  }

 private:
  /// A quarter more than expected inside, plus slack for small numbers.
  KOKKOS_FUNCTION Count room(Count k, Count n, Count inside, Count m) const {
    const double share = static_cast<double>(inside) / static_cast<double>(m);
    const Count wanted =
        static_cast<Count>(1.25 * (1 + b.forest.attempt(k)) * share * static_cast<double>(n)) + 256;
    return wanted < n ? wanted : n;
  }

  /// Makes the children of node k, cut at `middle`, and divides its sample.
  KOKKOS_FUNCTION void pass_on(Count k, Value middle, Key threshold, Count left_samples,
                               bool has_low, bool has_high) const {
    const auto& f = b.forest;
    const int axis = f.node(k).axis;
    auto& cell = f.cell(k);
    cell.cut_axis = axis;
    if (!f.has_child_nodes(k)) return;
    const Count n = cell.end - cell.begin;
    const Count rank = f.policy.rank(cell);
    const Count left = f.left_child(k);
    make_children(f.policy, cell, Cut<Value>{rank, n - rank, middle, middle}, f.cell(left),
                  f.cell(left + 1));
    f.sweep_level(left) = f.sweep_level(left + 1) = static_cast<std::int8_t>(b.level + 1);
    const BoxRange range = f.range(k);
    f.range(left) = f.range(left + 1) = range;
    const Value low = has_low ? lower_end<Value>(f.node(k).low) : range.lower_min[axis];
    const Value high = has_high ? upper_end<Value>(f.node(k).high) : range.upper_max[axis];
    f.range(left).upper_min[axis] = f.range(left + 1).lower_min[axis] = low;
    f.range(left).upper_max[axis] = f.range(left + 1).lower_max[axis] = high;

    b.threshold(k) = threshold;
    const Segment rows = b.sample.rows(k);
    const Segment lefts{rows.begin, rows.begin + left_samples};
    b.next(k) = lefts;
    b.sample.leaf(k) = 0;
    b.sample.rows(left) = lefts;
    b.sample.rows(left + 1) = {lefts.end, rows.end};
    b.sample.leaf(left) = b.sample.leaf(left + 1) = 1;
  }
};

/// Moves a tile of a sample that was divided on this level to the children, the others to where
/// they were. Brackets do not depend on the order of a node's samples, so tiles take places as they
/// come.
template <class ExecutionSpace, class Bracketing>
struct DivideSample {
  static constexpr int width = runs_on_host<ExecutionSpace> ? 1 : packet_width;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 512;
  static constexpr int warps = threads / width;
  static constexpr int rounds = tile_size / threads;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 2>>;
  using Team = typename Policy::member_type;
  /// Samples on the left in each warp, and the tile's places.
  struct Memory {
    std::uint32_t left[warps];
    Segment places;
  };
  using MemoryView =
      Kokkos::View<Memory*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Bracketing b;
  TileTable<typename ExecutionSpace::memory_space> tiles;

  static std::size_t scratch_bytes() { return MemoryView::shmem_size(1); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = tiles.tile(team.league_rank());
    if (tile.segment == Tile::none) return;
    const Count k = tile.segment;
    const auto& f = b.forest;
    const auto& from = b.sample.points;
    const auto& to = b.sample.spare;
    if (!f.is_bracketed(k, b.level) || !f.has_child_nodes(k)) {
      for (int a = 0; a < 3; ++a)
        for (Count i = tile.begin + team.team_rank(); i < tile.end; i += threads)
          to(i, a) = from(i, a);
      return;
    }
    const MemoryView memory(team.team_scratch(0), 1);
    const int warp = team.team_rank() / width;
    const int lane = team.team_rank() % width;
    const int rows = static_cast<int>(tile.end - tile.begin);
    const int first = warp * rounds * width + lane;
    const Real* const column = from.data() + from.stride(1) * f.node(k).axis;
    const auto threshold = b.threshold(k);
    std::uint32_t mask[rounds];
    std::uint32_t total = 0;
    for (int r = 0; r < rounds; ++r) {
      const int i = first + r * width;
      const Real value = column[tile.begin + (i < rows ? i : 0)];
      mask[r] = packet_ballot(i < rows && ordered_key(value) <= threshold);
      total += Kokkos::popcount(mask[r]);
    }
    if (lane == 0) memory(0).left[warp] = total;
    team.team_barrier();
    if (team.team_rank() == 0) {
      std::uint32_t left = 0;
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t here = memory(0).left[w];
        memory(0).left[w] = left;
        left += here;
      }
      memory(0).places = {Kokkos::atomic_fetch_add(&b.next(k).begin, Count{left}),
                          Kokkos::atomic_fetch_add(&b.next(k).end, Count{rows - left})};
    }
    team.team_barrier();
    const Segment places = memory(0).places;
    std::uint32_t before = memory(0).left[warp];
    const std::uint32_t lower_lanes = (std::uint32_t{1} << lane) - 1;
    for (int r = 0; r < rounds; ++r) {
      const int i = first + r * width;
      const std::uint32_t rank = before + Kokkos::popcount(mask[r] & lower_lanes);
      before += Kokkos::popcount(mask[r]);
      if (i >= rows) continue;
      const Count place = (mask[r] >> lane) & 1 ? places.begin + rank : places.end + (i - rank);
      for (int a = 0; a < 3; ++a) to(place, a) = from(tile.begin + i, a);
    }
  }
};

/// Brackets the cuts of all open nodes, all at least `above` levels deep, and of up to `depth` - 1
/// levels of descendants. Sets `slots(k).end` to the list capacity for node k; it must be 0 before.
template <class ExecutionSpace, class MemorySpace, class Forest>
void bracket_cuts(const ExecutionSpace& space, const Forest& forest, Sample<MemorySpace>& sample,
                  int above, int depth, const KeyBins<MemorySpace, typename Forest::Key>& bins,
                  const Kokkos::View<Segment*, Kokkos::LayoutLeft, MemorySpace>& slots,
                  Workspace<MemorySpace>& workspace) {
  using Key = typename Forest::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using Bracketing = BracketLevel<MemorySpace, Forest>;
  using Narrow = NarrowBrackets<ExecutionSpace, Bracketing>;
  using Set = SetBrackets<ExecutionSpace, Bracketing>;
  using Divide = DivideSample<ExecutionSpace, Bracketing>;
  using Pick = PickBins<ExecutionSpace, 3>;
  const Count nodes = forest.nodes();
  Bracketing b;
  b.forest = forest;
  b.bins = bins;
  b.ranks = workspace.template get<SampleRanks>("fused::sample_ranks", nodes);
  b.undivided = workspace.template get<Segment>("fused::sample_undivided", nodes);
  b.threshold = workspace.template get<Key>("fused::sample_threshold", nodes);
  b.next = workspace.template get<Segment>("fused::sample_next", nodes);
  b.slots = slots;
  Kokkos::deep_copy(space, forest.sweep_level, std::int8_t{-1});
  Kokkos::parallel_for("copse::fused::unite_samples", Range(space, 0, nodes),
                       UniteSamples<Forest, MemorySpace>{forest, sample});
  typename Pick::Policy pick(space, static_cast<int>(nodes), Pick::threads);
  pick.set_scratch_size(0, Kokkos::PerTeam(Pick::scratch_bytes()));
  for (b.level = 0; b.level < depth; ++b.level) {
    b.sample = sample;
    Kokkos::parallel_for("copse::fused::sample_ranks", Range(space, 0, nodes),
                         ChooseSampleRanks<Bracketing>{b});
    const auto tiles =
        make_tiles(space, b.undivided, sample.size, nodes, workspace, "fused_sample");
    const SampleKeys<Points<3, MemorySpace>, decltype(forest.node)> keys{sample.points,
                                                                         forest.node};
    count_keys(space, keys, tiles, bins);
    Kokkos::parallel_for("copse::fused::narrow_brackets", pick, Narrow{b});
    count_keys(space, keys, tiles, bins);
    Kokkos::parallel_for("copse::fused::set_brackets", pick, Set{b});
    if (above + b.level + 1 == forest.levels) return;  // no node has children
    typename Divide::Policy divide(space, static_cast<int>(tiles.bound), Divide::threads);
    divide.set_scratch_size(0, Kokkos::PerTeam(Divide::scratch_bytes()));
    Kokkos::parallel_for("copse::fused::divide_sample", divide, Divide{b, tiles});
    std::swap(sample.points, sample.spare);
  }
}

}  // namespace copse::orb::fused
