#pragma once
/// \file
/// One level of bisection of cells shared by several ranks, which find the cuts together. Either
/// the particles then move on each rank (cut_cells), or they stay in place and find their cells by
/// descending the cuts (cut_unmoved), on devices only.
///
/// Without moving, a level costs three or more passes over the coordinates (walked_histogram.hpp),
/// and one more where the histograms do not determine the keys next to the cuts. One move then
/// sorts the particles into at most 64 cells (tree/cell_places.hpp).

#include <copse/domains/detail/distributed_state.hpp>
#include <copse/domains/detail/walked_histogram.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/cell_places.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace copse::detail {

/// Summary of both sides of the cuts, one array per member, for reductions over ranks.
template <class MemorySpace, class Key>
struct SharedSummary {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Array<Count> left;
  Array<Key> left_max;
  Array<Key> right_min;
  KOKKOS_FUNCTION PartitionSummary<Key> operator()(Count s) const {
    return {left(s), left_max(s), right_min(s)};
  }
};

template <class State>
using SharedLevel = TreeLevel<typename State::MemorySpace, OrbPolicy>;
template <class State>
using SharedSides = SharedSummary<typename State::MemorySpace, typename SharedLevel<State>::Key>;
using CutFlags = std::vector<std::uint8_t>;

/// Begins a level of the cells in `slots`; the cells that `to_cut` marks get their axis and rank. A
/// cell's local range differs from the range stored in the cell, which counts all ranks.
template <class State>
SharedLevel<State> begin_shared_level(State& s, const std::vector<std::uint32_t>& slots,
                                      const CutFlags& to_cut,
                                      const Segments<typename State::MemorySpace>& segments) {
  using Key = typename SharedLevel<State>::Key;
  const Count n = slots.size();
  SharedLevel<State> level;
  level.policy = s.policy;
  level.cells = s.tree.cells;
  level.rows = s.rows.size();
  level.segments = segments;
  level.active = upload(s.space, slots, s.workspace, "distributed::active");
  level.ranks = s.workspace.template get<Count>("distributed::ranks", n);
  level.threshold = s.workspace.template get<Key>("distributed::threshold", n);
  const auto flags = upload(s.space, to_cut, s.workspace, "distributed::to_cut");
  Kokkos::parallel_for(
      "copse::distributed::prepare", typename State::Range(s.space, 0, n),
      KOKKOS_LAMBDA(const Count c) {
        level.threshold(c) = static_cast<Key>(~Key{0});
        level.ranks(c) = 0;
        if (!flags(c)) return;
        auto& cell = level.cells(level.active(c));
        level.policy.prepare(cell, level.active(c));
        if (cell.begin == cell.end) return;
        const Count rank = level.policy.rank(cell);
        level.ranks(c) = rank == 0 ? 1 : rank;
      });
  return level;
}

template <class State>
SharedSides<State> room_for_sides(State& s, Count cells) {
  using Key = typename SharedLevel<State>::Key;
  return {s.workspace.template get<Count>("distributed::left", cells),
          s.workspace.template get<Key>("distributed::left_max", cells),
          s.workspace.template get<Key>("distributed::right_min", cells)};
}

/// Converts [cells] of PartitionSummary to one array per member. Complete on return.
template <class State, class Summary>
SharedSides<State> take_sides_apart(State& s, const Summary& summary) {
  const SharedSides<State> sides = room_for_sides(s, summary.extent(0));
  Kokkos::parallel_for(
      "copse::distributed::summary", typename State::Range(s.space, 0, summary.extent(0)),
      KOKKOS_LAMBDA(const Count c) {
        sides.left(c) = summary(c).left;
        sides.left_max(c) = summary(c).left_max;
        sides.right_min(c) = summary(c).right_min;
      });
  s.space.fence("copse::distributed::summary");
  return sides;
}

/// Reduces the sides over the ranks of `comm`. Collective.
template <class State>
void join_sides(State& s, const Communicator& comm, const SharedSides<State>& sides) {
  s.clock.communicate(comm, [&] {
    comm.allreduce(sides.left, Reduction::sum);
    comm.allreduce(sides.left_max, Reduction::max);
    comm.allreduce(sides.right_min, Reduction::min);
  });
}

/// Splits those cells of the level that begin_shared_level prepared. Returns the number of
/// particles, over all ranks, left of each cut.
template <class State>
std::vector<Count> split_shared_cells(State& s, const SharedLevel<State>& level,
                                      const SharedSides<State>& sides) {
  const Count n = level.active.extent(0);
  const auto flags = s.workspace.template get<std::uint8_t>("distributed::to_cut", n);
  Kokkos::parallel_for(
      "copse::distributed::split", typename State::Range(s.space, 0, n),
      KOKKOS_LAMBDA(const Count c) {
        if (flags(c)) split_cell(level, level.active(c), sides(c));
      });
  s.space.fence("copse::distributed::split");
  return download(sides.left);
}

/// Replaces the cells that `to_cut` marks by their children. `left` holds the number of particles
/// of all ranks that go left, `left_here` the number on this rank (empty: unknown). Both have one
/// entry per cell, or one per cut cell.
template <class State>
void advance(State& s, const CutFlags& to_cut, const std::vector<Count>& left,
             const std::vector<Count>& left_here = {}) {
  std::vector<LocalCell> next;
  std::size_t cut = 0;
  for (std::size_t c = 0; c < s.cells.size(); ++c) {
    const LocalCell& cell = s.cells[c];
    if (!to_cut[c]) {
      next.push_back(cell);
      continue;
    }
    const std::size_t k = left.size() == s.cells.size() ? c : cut++;
    const std::uint32_t leaves = left_leaves(cell.leaves.count, s.policy.rule);
    const Count border = cell.rows.begin + (left_here.empty() ? 0 : left_here[k]);
    next.push_back(
        {2 * cell.slot, {cell.leaves.first, leaves}, left[k], {cell.rows.begin, border}});
    next.push_back({2 * cell.slot + 1,
                    {cell.leaves.first + leaves, cell.leaves.count - leaves},
                    cell.particles - left[k],
                    {border, cell.rows.end}});
  }
  s.cells = std::move(next);
  s.known.insert(s.known.end(), s.cells.begin(), s.cells.end());
}

/// Cuts the state's cells that `to_cut` marks, replaces them by their children, and moves their
/// particles on this rank. Collective over `comm`, whose ranks must have the same cells.
template <class State, class Search>
void cut_cells(State& s, const Communicator& comm, const CutFlags& to_cut, Search& search) {
  using MemorySpace = typename State::MemorySpace;
  std::vector<std::uint32_t> slots;
  std::vector<Segment> segments;
  for (const LocalCell& cell : s.cells) {
    slots.push_back(cell.slot);
    segments.push_back(cell.rows);
  }
  const SharedLevel<State> level = begin_shared_level(
      s, slots, to_cut, upload(s.space, segments, s.workspace, "distributed::segments"));
  const LevelKeys<OrbPolicy, Points<3, MemorySpace>, decltype(level.cells), decltype(level.active)>
      keys{s.policy, s.rows.points, level.cells, level.active};
  search(s.space, keys, level, s.workspace);
  const auto spare = s.room(set_beside(s.rows.set), s.rows.size());
  const auto moved = MoveStably{}(
      s.space, keys, level,
      with_points(with_column(no_columns(), s.rows.row, spare.row), s.rows.points, spare.points),
      s.workspace);
  s.rows = spare;

  const SharedSides<State> sides = take_sides_apart(s, moved);
  const std::vector<Count> left_here = download(sides.left);
  join_sides(s, comm, sides);
  advance(s, to_cut, split_shared_cells(s, level, sides), left_here);
}

/// The decision tree down to the state's cells; `wanted` marks the cells to cut next.
template <class State>
DecisionTree decisions(State& s, const CutFlags& wanted = {}) {
  std::vector<std::uint32_t> frontier;
  for (const LocalCell& cell : s.cells) frontier.push_back(cell.slot);
  return make_decision_tree(s.space, decision_nodes(frontier, wanted), s.tree.cells, s.rows.points,
                            s.workspace, "distributed::decisions");
}

/// As cut_cells, but particles stay in place, and the ranges of the children are unknown. `search`
/// is a HistogramCuts with CountByWalking. Collective over the world, whose ranks must have the
/// same cells.
template <class State, class Search>
void cut_unmoved(State& s, const CutFlags& to_cut, Search& search) {
  std::vector<std::uint32_t> slots;
  for (std::size_t c = 0; c < s.cells.size(); ++c)
    if (to_cut[c]) slots.push_back(s.cells[c].slot);
  const Count n = slots.size();
  // One segment per cell to cut, but without particle ranges.
  const SharedLevel<State> level = begin_shared_level(
      s, slots, CutFlags(n, 1), s.workspace.template get<Segment>("distributed::segments", n));
  search.counting.walk = decisions(s, to_cut);
  search(s.space, search.counting.walk, level, s.workspace);
  SharedSides<State> sides = room_for_sides(s, n);
  // All ranks have the same histograms, so `summarize` returns the same on all ranks.
  if (!search.summarize(s.space, level, sides, s.workspace)) {
    using CountBySide = CountSides<SharedLevel<State>>;
    const auto counted = s.workspace.template get<PartitionSummary<typename CountBySide::Key>>(
        "distributed::counted_sides", n);
    Kokkos::parallel_reduce(
        "copse::distributed::walked_summary", typename State::Range(s.space, 0, s.rows.size()),
        CountBySide{static_cast<unsigned>(n), search.counting.walk, level.threshold}, counted);
    sides = take_sides_apart(s, counted);
    join_sides(s, s.world, sides);
  }
  advance(s, to_cut, split_shared_cells(s, level, sides));
}

}  // namespace copse::detail
