#pragma once
/// \file
/// One level of bisection of cells that lie on several ranks: cuts are found together, rows are
/// moved apart.

#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/collective_clock.hpp>
#include <copse/tree/detail/distributed_rows.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace copse::detail {

/// As prepare_cut, where a cell's rows are not the range it remembers, which counts all ranks.
template <class LevelT>
struct PrepareSharedCuts {
  LevelT level;
  typename LevelT::template Array<std::uint8_t> to_cut;
  KOKKOS_FUNCTION void operator()(Count s) const {
    level.threshold(s) = static_cast<typename LevelT::Key>(~typename LevelT::Key{0});
    level.ranks(s) = 0;
    if (!to_cut(s)) return;
    auto& cell = level.cells(level.active(s));
    level.policy.prepare(cell, level.active(s));
    if (cell.begin == cell.end) return;
    const Count rank = level.policy.rank(cell);
    level.ranks(s) = rank == 0 ? 1 : rank;
  }
};

/// What the mover found out, one array a member, as reductions over ranks want it.
template <class MemorySpace, class Key>
struct SharedSummary {
  using KeyType = Key;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Array<Count> left;
  Array<Key> left_max;
  Array<Key> right_min;
  KOKKOS_FUNCTION PartitionSummary<Key> operator()(Count s) const {
    return {left(s), left_max(s), right_min(s)};
  }
};

template <class SummaryView, class Shared>
struct TakeSummaryApart {
  SummaryView summary;
  Shared shared;
  KOKKOS_FUNCTION void operator()(Count s) const {
    shared.left(s) = summary(s).left;
    shared.left_max(s) = summary(s).left_max;
    shared.right_min(s) = summary(s).right_min;
  }
};

template <class LevelT, class Shared>
struct SplitSharedCells {
  LevelT level;
  Shared summary;
  typename LevelT::template Array<std::uint8_t> to_cut;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (to_cut(s)) split_cell(level, level.active(s), summary(s));
  }
};

/// What cutting a level needs beside the cells: where the rows are, and whom to ask.
template <class ExecutionSpace, class Row>
struct LevelContext {
  using MemorySpace = typename ExecutionSpace::memory_space;
  ExecutionSpace space;
  OrbPolicy policy;
  Kokkos::View<OrbCell*, MemorySpace> heap;
  Workspace<MemorySpace>& workspace;
  RowSet<MemorySpace, Row>& rows;
  const Communicator& comm;  ///< the ranks that hold the cells
  CollectiveClock& clock;
};

/// Cuts those of `cells` for which `to_cut` says so and moves their rows on this rank. Returns the
/// cells of the next level, left to right; those not cut stay. Collective over the context's ranks,
/// which must have the same cells.
template <class ExecutionSpace, class Row, class Search>
std::vector<LocalCell> cut_cells(const LevelContext<ExecutionSpace, Row>& context,
                                 const std::vector<LocalCell>& cells,
                                 const std::function<bool(const LocalCell&)>& to_cut,
                                 Search&& search) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using LevelT = TreeLevel<MemorySpace, OrbPolicy>;
  using Key = typename LevelT::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const ExecutionSpace& space = context.space;
  Workspace<MemorySpace>& workspace = context.workspace;
  const Count n = cells.size();
  std::vector<std::uint32_t> slots;
  std::vector<std::uint8_t> flags;
  std::vector<Segment> segments;
  for (const LocalCell& cell : cells) {
    slots.push_back(cell.slot);
    flags.push_back(to_cut(cell) ? 1 : 0);
    segments.push_back(cell.rows);
  }
  LevelT level;
  level.policy = context.policy;
  level.cells = context.heap;
  level.rows = context.rows.size();
  level.active = upload(space, slots, workspace, "distributed::active");
  level.segments = upload(space, segments, workspace, "distributed::segments");
  level.ranks = workspace.template get<Count>("distributed::ranks", n);
  level.threshold = workspace.template get<Key>("distributed::threshold", n);
  const auto device_flags = upload(space, flags, workspace, "distributed::to_cut");
  Kokkos::parallel_for("copse::distributed::prepare", Range(space, 0, n),
                       PrepareSharedCuts<LevelT>{level, device_flags});

  const LevelKeys<OrbPolicy, Points<3, MemorySpace>, decltype(level.cells), decltype(level.active)>
      keys{context.policy, context.rows.points, level.cells, level.active};
  search(space, keys, level, workspace);
  const auto spare =
      room_for_rows<MemorySpace, Row>(workspace, set_beside(context.rows.set), context.rows.size());
  const auto moved =
      MoveStably{}(space, keys, level,
                   with_points(with_column(no_columns(), context.rows.row, spare.row),
                               context.rows.points, spare.points),
                   workspace);
  context.rows = spare;

  using Shared = SharedSummary<MemorySpace, Key>;
  const Shared summary{workspace.template get<Count>("distributed::left", n),
                       workspace.template get<Key>("distributed::left_max", n),
                       workspace.template get<Key>("distributed::right_min", n)};
  using Moved = std::remove_const_t<decltype(moved)>;
  Kokkos::parallel_for("copse::distributed::summary", Range(space, 0, n),
                       TakeSummaryApart<Moved, Shared>{moved, summary});
  space.fence("copse::distributed::summary");
  const std::vector<Count> left_here = download(summary.left);
  context.clock.communicate(context.comm, [&] {
    context.comm.allreduce(summary.left, Reduction::sum);
    context.comm.allreduce(summary.left_max, Reduction::max);
    context.comm.allreduce(summary.right_min, Reduction::min);
  });
  Kokkos::parallel_for("copse::distributed::split", Range(space, 0, n),
                       SplitSharedCells<LevelT, Shared>{level, summary, device_flags});
  space.fence("copse::distributed::split");
  const std::vector<Count> left = download(summary.left);

  std::vector<LocalCell> next;
  for (std::size_t s = 0; s < cells.size(); ++s) {
    const LocalCell& cell = cells[s];
    if (!flags[s]) {
      next.push_back(cell);
      continue;
    }
    const std::uint32_t left_count = left_leaves(cell.leaves.count, context.policy.rule);
    const Count border = cell.rows.begin + left_here[s];
    next.push_back(
        {2 * cell.slot, {cell.leaves.first, left_count}, left[s], {cell.rows.begin, border}});
    next.push_back({2 * cell.slot + 1,
                    {cell.leaves.first + left_count, cell.leaves.count - left_count},
                    cell.particles - left[s],
                    {border, cell.rows.end}});
  }
  return next;
}

}  // namespace copse::detail
