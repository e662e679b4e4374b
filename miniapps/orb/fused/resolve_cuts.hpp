#pragma once
/// \file
/// Computes exact cuts from a sweep's counts and lists.
///
/// Works level by level below the open nodes. The particles left of a node's bracket are counted,
/// so the cut is the key of known rank in the node's list. Once the cut is exact, the listed
/// particles continue down the tree, into leaf slots or into lists further down. Then the counts of
/// the next level are complete.
///
/// A node fails if its cut is not in its list (the bracket missed), if its list overflowed (too
/// many equal keys), or if the keys on either side of the cut, which determine the plane, are
/// outside the list. A failed node keeps its particles together and is retried or left to the next
/// round.

#include "cut_forest.hpp"
#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
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
  using Value = typename Forest::Value;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Forest forest;
  MultiwayPlaces<MemorySpace> counts;
  InsideLists<MemorySpace, Key> lists;
  Array<Count> leaf_total;     ///< [nodes] particles in each leaf slot of each segment
  Array<std::uint8_t> failed;  ///< [segments] did a node of the segment fail in this sweep?
  bool places_rows = false;    ///< must particles get their leaf slots?
  int level = 0;
  Array<Count> certain_left;
  Array<Segment> segments;  ///< lists of this level's nodes
  Array<Count> ranks;
  Array<Selected<Key>> selected;
  Array<Key> threshold;

  /// Test the level first: the parent's thread may concurrently change the state of a node on
  /// another level.
  KOKKOS_FUNCTION bool is_due(Count k) const {
    return forest.sweep_level(k) == level && forest.state(k) == NodeState::bracketed;
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
  ResolutionT r;
  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = r.forest;
    r.segments(k) = {0, 0};
    r.ranks(k) = 0;
    r.threshold(k) = static_cast<typename ResolutionT::Key>(~typename ResolutionT::Key{0});
    if (!r.is_due(k)) return;
    const std::uint32_t i = f.heap_index(k);
    if (r.level > 0 && f.state(f.parent(k)) != NodeState::cut) {
      // The parent failed: this node is not a cell and its particles remain in the parent.
      f.node(k) = CutNode<typename ResolutionT::Key>::all_left();
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
    if (n == 0) return;
    const Count first = k - i;
    r.certain_left(k) = r.rows_below(first, 2 * i);
    const Count rank = f.policy.rank(cell);
    const Count wanted = rank == 0 ? 1 : rank;
    if (wanted <= r.certain_left(k) || wanted > r.certain_left(k) + length) return r.fail(k);
    r.segments(k) = {slots.begin, slots.begin + length};
    r.ranks(k) = wanted - r.certain_left(k);
  }
};

/// Makes the cuts and turns the children into cells.
template <class ResolutionT, class Summary>
struct MakeCuts {
  using Value = typename ResolutionT::Value;
  using Key = typename ResolutionT::Key;
  ResolutionT r;
  Summary summary;

  KOKKOS_FUNCTION void operator()(Count k) const {
    const auto& f = r.forest;
    if (!r.is_due(k)) return;
    auto& cell = f.cell(k);
    const Count n = cell.end - cell.begin;
    Cut<Value> cut{};
    if (n > 0) {
      const auto found = summary(k);
      const Count length = r.segments(k).size();
      cut.left = r.certain_left(k) + found.left;
      cut.right = n - cut.left;
      // The keys on both sides of the plane must be in the list.
      const bool knows_left = found.left > 0 || cut.left == 0;
      const bool knows_right = found.left < length || cut.right == 0;
      if (!knows_left || !knows_right) return r.fail(k);
      if (cut.left > 0) cut.left_max = from_ordered_key<Value>(found.left_max);
      if (cut.right > 0) cut.right_min = from_ordered_key<Value>(found.right_min);
    }
    const std::uint32_t slot = f.slot(k);
    make_children(f.policy, cell, cut, f.cells(2 * slot), f.cells(2 * slot + 1));
    f.node(k) = CutNode<Key>::exact(r.threshold(k), f.node(k).axis);
    f.state(k) = NodeState::cut;
    if (!f.has_child_nodes(k)) return;
    open_child(f.left_child(k));
    open_child(f.left_child(k) + 1);
  }

 private:
  KOKKOS_FUNCTION void open_child(Count k) const {
    const auto& f = r.forest;
    if (f.state(k) == NodeState::bracketed) return;  // due at the next level
    f.state(k) = f.policy.open(f.cell(k)) ? NodeState::open : NodeState::closed;
  }
};

/// Sends the particles in the lists of newly cut nodes further down. Totals of the leaf slots are
/// accumulated in scratch memory first, because millions of particles share few slots.
template <class ExecutionSpace, class ResolutionT>
struct WalkOn {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Totals = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryUnmanaged>;
  ResolutionT r;
  TileTable<MemorySpace> tiles;  ///< of the lists

  std::size_t scratch_bytes() const { return Totals::shmem_size(r.forest.size); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = tiles.tile(team.league_rank());
    if (tile.segment == Tile::none) return;
    const Count k = tile.segment;
    const auto& f = r.forest;
    if (f.state(k) != NodeState::cut) return;
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
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile.end - tile.begin), [&](Count e) {
      const Count place = tile.begin + e;
      const auto x = lists.key(place);
      const auto y = lists.key(lists.capacity + place);
      const auto z = lists.key(2 * lists.capacity + place);
      const LocalIndex row = lists.row(place);
      const std::uint32_t end = walk(&f.node(first), i, f.levels - f.depth(i), x, y, z);
      if (end >= size) {
        const Count t = first_tile + (row - begin) / tile_size;
        Kokkos::atomic_inc(&r.counts.count(r.counts.index(t, segment, end - size)));
        if (r.places_rows) r.counts.part(row) = static_cast<std::uint8_t>(end - size);
        scratch_add(&totals(end - size), 1u);
      } else {
        const Segment slots = lists.slots(first + end);
        const Count to =
            slots.begin + Kokkos::atomic_fetch_add(&lists.length(first + end), Count{1});
        if (to < slots.end) lists.store(to, x, y, z, row);
      }
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](std::uint32_t l) {
      if (totals(l) > 0) Kokkos::atomic_add(&r.leaf_total(first + l), Count{totals(l)});
    });
  }
};

/// Computes the exact cuts of the nodes bracketed in this sweep, on up to `depth` levels.
template <class ExecutionSpace, class MemorySpace, class Forest>
void resolve_cuts(const ExecutionSpace& space, Resolution<MemorySpace, Forest>& r, int depth,
                  Workspace<MemorySpace>& workspace) {
  using Key = typename Forest::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  using ResolutionT = Resolution<MemorySpace, Forest>;
  const Count nodes = r.forest.nodes();
  r.certain_left = workspace.template get<Count>("fused::certain_left", nodes);
  r.segments = workspace.template get<Segment>("fused::list_segments", nodes);
  r.ranks = workspace.template get<Count>("fused::list_ranks", nodes);
  r.selected = workspace.template get<Selected<Key>>("fused::list_selected", nodes);
  r.threshold = workspace.template get<Key>("fused::list_threshold", nodes);
  Kokkos::parallel_for("copse::fused::sum_leaves",
                       Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(nodes),
                                                          runs_on_host<ExecutionSpace> ? 1 : 512),
                       SumLeaves<ExecutionSpace, ResolutionT>{r});
  for (r.level = 0; r.level < depth; ++r.level) {
    Kokkos::parallel_for("copse::fused::rank_in_lists", Range(space, 0, nodes),
                         RankInLists<ResolutionT>{r});
    const ListKeys<Key, decltype(r.forest.node)> keys{r.lists.key.data(), r.lists.capacity,
                                                      r.forest.node};
    segmented_select(space, keys, r.segments, r.ranks, r.lists.capacity, r.selected, workspace);
    Kokkos::parallel_for(
        "copse::fused::list_thresholds", Range(space, 0, nodes), KOKKOS_LAMBDA(const Count k) {
          if (r.ranks(k) == 0) return;
          const auto& cell = r.forest.cell(k);
          auto found = r.selected(k);
          found.below += r.certain_left(k);
          const auto& policy = r.forest.policy;
          r.threshold(k) = choose_threshold(policy, cell, policy.rank(cell), found);
        });
    const auto plan =
        plan_partition(space, keys, r.segments, r.threshold, r.lists.capacity, workspace);
    Kokkos::parallel_for("copse::fused::make_cuts", Range(space, 0, nodes),
                         MakeCuts<ResolutionT, decltype(plan.summary)>{r, plan.summary});
    const WalkOn<ExecutionSpace, ResolutionT> walk_on{r, plan.tiles};
    Kokkos::TeamPolicy<ExecutionSpace> policy(space, static_cast<int>(plan.tiles.bound),
                                              runs_on_host<ExecutionSpace> ? 1 : 256);
    policy.set_scratch_size(0, Kokkos::PerTeam(walk_on.scratch_bytes()));
    Kokkos::parallel_for("copse::fused::walk_on", policy, walk_on);
  }
}

}  // namespace copse::orb::fused
