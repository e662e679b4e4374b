#pragma once
/// \file
/// Computes exact cuts from a sweep's counts and lists.
///
/// Works level by level below the open nodes. The particles left of a node's bracket are counted,
/// so the cut is the key of known rank in the node's list, which passes over the list determine
/// (key_bins.hpp). Once the cut is exact, the listed particles continue down the tree, into leaf
/// slots or into lists further down. Then the counts of the next level are complete.
///
/// A node fails if its cut is not in its list (the bracket missed), if its list overflowed (too
/// many equal keys), or if the keys on either side of the cut, which determine the plane, are
/// outside the list. A failed node keeps its particles together and is retried or left to the next
/// round.

#include "cut_forest.hpp"
#include "key_bins.hpp"
#include <copse/algorithms/partition_plan.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/backend/relaxed_access.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/tree/bisection.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb::fused {

/// Maximum number of searches for a node in a round.
inline constexpr int most_attempts = 2;

/// Keys of the lists along the axes of their nodes.
template <class Key, class NodeArray>
struct ListKeys {
  const Key* keys;
  Count capacity;
  NodeArray node;

  struct OfAxis {
    const Key* column;
    KOKKOS_FORCEINLINE_FUNCTION Key operator()(Count row) const { return column[row]; }
  };
  KOKKOS_FUNCTION OfAxis segment(Count k) const { return OfAxis{keys + capacity * node(k).axis}; }
};

template <class MemorySpace, class Forest>
struct Resolution {
  using Key = typename Forest::Key;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Forest forest;
  MultiwayPlaces<MemorySpace> counts;
  InsideLists<MemorySpace, Key> lists;
  Array<Count> leaf_total;     ///< [nodes] particles in each leaf slot of each segment
  Array<std::uint8_t> failed;  ///< [segments] did a node of the segment fail in this sweep?
  bool places_rows = false;    ///< must particles get their leaf slots?
  int level = 0;
  KeyBins<MemorySpace, Key> bins;
  /// Of the slots of all lists. Its segments are the lists of this level's nodes.
  TileTable<MemorySpace> tiles;
  Array<Count> certain_left;
  Array<Count> ranks;  ///< within the list
  /// Both sides of the cuts made on this level; the counts include `certain_left`.
  Array<PartitionSummary<Key>> summary;

  /// Was node k cut on this level?
  KOKKOS_FUNCTION bool is_new_cut(Count k) const {
    return forest.sweep_level(k) == level && forest.state(k) == NodeState::cut;
  }

  /// Known particles below node i, including lists; `first` is node 0 of its segment.
  KOKKOS_FUNCTION Count rows_below(Count first, std::uint32_t i) const {
    Count sum = 0;
    const std::uint32_t leaf = forest.first_leaf(i);
    for (std::uint32_t l = 0; l < forest.leaves_below(i); ++l) sum += leaf_total(first + leaf + l);
    for (std::uint32_t left = i, width = 1; left < forest.size; left *= 2, width *= 2)
      for (std::uint32_t j = left; j < left + width; ++j) sum += lists.length(first + j);
    return sum;
  }

  KOKKOS_FUNCTION void fail(Count k, std::uint8_t attempts = 1) const {
    forest.node(k) = CutNode<Key>::all_left();
    forest.attempt(k) += attempts;
    forest.state(k) = forest.attempt(k) < most_attempts ? NodeState::open : NodeState::closed;
    relaxed_store(&failed(k / forest.size), 1);  // several nodes of a segment may write
  }
};

/// Computes leaf_total; one team per segment and leaf slot.
template <class ExecutionSpace, class ResolutionT>
struct SumLeaves {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  ResolutionT r;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count k = team.league_rank();
    const auto segment = static_cast<std::uint32_t>(k / r.forest.size);
    const std::uint32_t leaf = r.forest.heap_index(k);
    const auto& first_tile = r.counts.tiles.first_tile;
    const Count tiles = first_tile(segment + 1) - first_tile(segment);
    const LocalIndex* count =
        r.counts.count.data() + r.counts.index(first_tile(segment), segment, leaf);
    Count sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, tiles), [&](Count t, Count& partial) { partial += count[t]; },
        sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { r.leaf_total(k) = sum; });
  }
};

/// The rank of each due node's cut within its list.
template <class ResolutionT>
struct RankInLists {
  using Key = typename ResolutionT::Key;
  ResolutionT r;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = r.forest;
    r.tiles.segments(k) = {0, 0};
    r.bins.range(k).searched = false;
    if (!f.is_bracketed(k, r.level)) return;
    const std::uint32_t i = f.heap_index(k);
    if (r.level > 0 && f.state(f.parent(k)) != NodeState::cut) {
      // The parent failed: this node is not a cell and its particles remain in the parent.
      f.node(k) = CutNode<Key>::all_left();
      f.state(k) = NodeState::absent;
      return;
    }
    auto& cell = f.cell(k);
    const int axis = f.node(k).axis;
    f.policy.prepare(cell, f.slot(k));
    const Count length = r.lists.length(k);
    const Segment slots = r.lists.slots(k);
    // No slots at all: other lists used up the memory. This does not count as a failed attempt.
    if (slots.size() == 0 && length > 0) return r.fail(k, 0);
    if (cell.cut_axis != axis || length > slots.size()) return r.fail(k);
    const Count n = cell.end - cell.begin;
    r.summary(k) = {0, 0, static_cast<Key>(~Key{0})};
    if (n == 0) {
      f.node(k) = CutNode<Key>::all_left();
      f.state(k) = NodeState::cut;
      return;
    }
    const Count first = k - i;
    r.certain_left(k) = r.rows_below(first, 2 * i);
    const Count rank = f.policy.rank(cell);
    const Count wanted = rank == 0 ? 1 : rank;
    if (wanted <= r.certain_left(k) || wanted > r.certain_left(k) + length) return r.fail(k);
    r.tiles.segments(k) = {slots.begin, slots.begin + length};
    r.ranks(k) = wanted - r.certain_left(k);
    r.bins.range(k) = {f.node(k).low, f.node(k).high, 0, true};
  }
};

/// Shrinks the range of each due node to the bin of its cut; a bin of one key is the cut.
template <class ExecutionSpace, class ResolutionT>
struct NarrowCuts {
  using Key = typename ResolutionT::Key;
  using Pick = PickBins<ExecutionSpace, 1>;
  ResolutionT r;

  KOKKOS_FUNCTION void operator()(const typename Pick::Team& team) const {
    const Count k = team.league_rank();
    const KeyRange<Key> range = r.bins.range(k);
    if (!range.searched) return;
    const int bits = r.bins.bits;
    const auto found = Pick::pick(team, r.bins.of_node(k), 1 << bits, {r.ranks(k) - range.below});
    if (team.team_rank() > 0) return;
    const Count below = range.below + found(0).below;
    if (range.shift(bits) == 0)
      return cut(k, {range.first_of(found(0).bin, bits), below, found(0).inside});
    r.bins.range(k) = {range.first_of(found(0).bin, bits), range.last_of(found(0).bin, bits), below,
                       true};
  }

 private:
  /// Cuts node k at the selected key of its list.
  KOKKOS_FUNCTION void cut(Count k, const Selected<Key>& in_list) const {
    const auto& f = r.forest;
    r.bins.range(k).searched = false;
    const auto& cell = f.cell(k);
    const Count certain = r.certain_left(k);
    const Selected<Key> found{in_list.key, certain + in_list.below, in_list.equal};
    const Key threshold = choose_threshold(f.policy, cell, f.policy.rank(cell), found);
    const Count left = keys_on_left(threshold, found);
    // The keys on both sides of the plane must be in the list.
    const bool knows_left = left > certain || left == 0;
    const Count end = certain + r.tiles.segments(k).size();
    const bool knows_right = left < end || left == cell.end - cell.begin;
    if (!knows_left || !knows_right) return r.fail(k);
    r.summary(k).left = left;
    f.node(k) = CutNode<Key>::exact(threshold, f.node(k).axis);
    f.state(k) = NodeState::cut;
  }
};

/// Sends the particles in the lists of newly cut nodes further down, and finds the keys on either
/// side of the cuts. Totals of the leaf slots are accumulated in scratch memory first, because
/// millions of particles share few slots.
template <class ExecutionSpace, class ResolutionT>
struct WalkOn {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Totals = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryUnmanaged>;
  using Key = typename ResolutionT::Key;
  ResolutionT r;

  std::size_t scratch_bytes() const { return Totals::shmem_size(r.forest.size); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = r.tiles.tile(team.league_rank());
    if (tile.segment == Tile::none || tile.begin >= tile.end) return;
    const Count k = tile.segment;
    const auto& f = r.forest;
    if (!r.is_new_cut(k)) return;
    const std::uint32_t size = f.size;
    const std::uint32_t i = f.heap_index(k);
    const Count first = k - i;
    const auto segment = static_cast<std::uint32_t>(k / size);
    const Count begin = r.counts.tiles.segments(segment).begin;
    const Count first_tile = r.counts.tiles.first_tile(segment);
    const auto& lists = r.lists;
    Totals totals(team.team_scratch(0), size);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size),
                         [&](std::uint32_t l) { totals(l) = 0; });
    team.team_barrier();
    const CutNode<Key> cut = f.node(k);
    Key left_max = 0, right_min = static_cast<Key>(~Key{0});
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile.end - tile.begin), [&](Count e) {
      const Count place = tile.begin + e;
      const auto x = lists.key(place);
      const auto y = lists.key(lists.capacity + place);
      const auto z = lists.key(2 * lists.capacity + place);
      const LocalIndex row = lists.row(place);
      const Key key = cut.axis == 0 ? x : cut.axis == 1 ? y : z;
      if (key <= cut.high) {
        left_max = key > left_max ? key : left_max;
      } else {
        right_min = key < right_min ? key : right_min;
      }
      const std::uint32_t end = walk(&f.node(first), i, f.levels - f.depth(i), x, y, z);
      if (end >= size) {
        scratch_add(&totals(end - size), 1u);
        if (r.places_rows) {  // only then are the counts of tiles read again
          const Count t = first_tile + (row - begin) / tile_size;
          Kokkos::atomic_inc(&r.counts.count(r.counts.index(t, segment, end - size)));
          r.counts.part(row) = static_cast<std::uint8_t>(end - size);
        }
      } else {
        const Segment slots = lists.slots(first + end);
        const Count to =
            slots.begin + Kokkos::atomic_fetch_add(&lists.length(first + end), Count{1});
        if (to < slots.end) lists.store(to, x, y, z, row);
      }
    });
    left_max = packet_max(left_max);
    right_min = packet_min(right_min);
    if (packet_lane() == 0) {
      raise_max(&r.summary(k).left_max, left_max);
      lower_min(&r.summary(k).right_min, right_min);
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](std::uint32_t l) {
      if (totals(l) > 0) Kokkos::atomic_add(&r.leaf_total(first + l), Count{totals(l)});
    });
  }
};

/// Turns the children of newly cut nodes into cells.
template <class ResolutionT>
struct MakeChildren {
  ResolutionT r;

  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = r.forest;
    if (!r.is_new_cut(k)) return;
    split_cell(f, f.slot(k), r.summary(k));
    f.open_children(k);
  }
};

/// Computes the exact cuts of the nodes bracketed in this sweep, on up to `depth` levels.
template <class ExecutionSpace, class MemorySpace, class Forest>
void resolve_cuts(const ExecutionSpace& space, Resolution<MemorySpace, Forest>& r, int depth,
                  Workspace<MemorySpace>& workspace) {
  using Key = typename Forest::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using ResolutionT = Resolution<MemorySpace, Forest>;
  using Pick = PickBins<ExecutionSpace, 1>;
  const Count nodes = r.forest.nodes();
  r.certain_left = workspace.template get<Count>("fused::certain_left", nodes);
  r.ranks = workspace.template get<Count>("fused::list_ranks", nodes);
  r.summary = workspace.template get<PartitionSummary<Key>>("fused::summary", nodes);
  r.tiles = make_tiles(space, r.lists.slots, r.lists.capacity, nodes, workspace, "fused_lists");
  r.tiles.segments = workspace.template get<Segment>("fused::list_segments", nodes);
  Kokkos::parallel_for("copse::fused::sum_leaves",
                       Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(nodes),
                                                          runs_on_host<ExecutionSpace> ? 1 : 512),
                       SumLeaves<ExecutionSpace, ResolutionT>{r});
  typename Pick::Policy pick(space, static_cast<int>(nodes), Pick::threads);
  pick.set_scratch_size(0, Kokkos::PerTeam(Pick::scratch_bytes()));
  const ListKeys<Key, decltype(r.forest.node)> keys{r.lists.key.data(), r.lists.capacity,
                                                    r.forest.node};
  for (r.level = 0; r.level < depth; ++r.level) {
    Kokkos::parallel_for("copse::fused::rank_in_lists", Range(space, 0, nodes),
                         RankInLists<ResolutionT>{r});
    for (int pass = 0; pass < passes_for_exact_key<Key>(nodes); ++pass) {
      count_keys(space, keys, r.tiles, r.bins);
      Kokkos::parallel_for("copse::fused::narrow_cuts", pick,
                           NarrowCuts<ExecutionSpace, ResolutionT>{r});
    }
    const WalkOn<ExecutionSpace, ResolutionT> walk_on{r};
    Kokkos::TeamPolicy<ExecutionSpace> policy(space, static_cast<int>(r.tiles.bound),
                                              runs_on_host<ExecutionSpace> ? 1 : 256);
    policy.set_scratch_size(0, Kokkos::PerTeam(walk_on.scratch_bytes()));
    Kokkos::parallel_for("copse::fused::walk_on", policy, walk_on);
    Kokkos::parallel_for("copse::fused::make_children", Range(space, 0, nodes),
                         MakeChildren<ResolutionT>{r});
  }
}

}  // namespace copse::orb::fused
