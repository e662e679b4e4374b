#pragma once
/// \file
/// The kernel of depth_first.hpp on a device: one team builds the subtree below one cell.

#include <copse/algorithms/partition_by_team.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/select_by_team.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/cut.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::detail {

/// One team per cell of a depth, for policies that keep ties together and whose keys are the
/// coordinates along `cut_axis`. Particles alternate between the points and the spares, and end in
/// the points.
template <class ExecutionSpace, class Policy, int Dim, class Row, int Threads, int Teams>
struct TeamSubtree {
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Key = OrderedKey<Value>;
  using PointSet = Points<Dim, typename ExecutionSpace::memory_space>;
  using TeamPolicy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Threads, Teams>>;
  using Team = typename TeamPolicy::member_type;
  using Select = SelectByTeam<Team, Value, Threads>;
  static_assert(!divides_ties<Policy>);

  struct Memory {
    typename Select::Memory select;
    PartitionMemory<Threads> partition;
  };
  using MemoryView =
      Kokkos::View<Memory*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Policy policy;
  Cell* cells;
  PointSet points[2];
  Row* rows[2];  ///< null: only the points move
  std::uint32_t first_slot;
  int levels;

  static std::size_t scratch_bytes() { return MemoryView::shmem_size(1); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    std::uint32_t slot = first_slot + static_cast<std::uint32_t>(team.league_rank());
    if (!policy.open(cells[slot])) return;
    const MemoryView memory(team.team_scratch(0), 1);
    for (int depth = 0;;) {
      const Cell cell = cells[slot];
      const int side = depth % 2;
      if (depth < levels && policy.open(cell)) {
        cut(team, memory(0), cell, slot, side);
        slot *= 2;
        ++depth;
        continue;
      }
      if (side == 1) copy_back(team, cell);
      while (depth > 0 && slot % 2 == 1) {
        slot /= 2;
        --depth;
      }
      if (depth == 0) return;
      ++slot;
    }
  }

 private:
  KOKKOS_FUNCTION void cut(const Team& team, Memory& memory, Cell cell, std::uint32_t slot,
                           int side) const {
    prepare_cell(policy, cell, slot, points[side]);
    const Count n = cell.end - cell.begin;
    Cut<Value> made{};
    if (n > 0) {
      const int axis = cell.cut_axis;
      const Real* const column = points[side].data() + points[side].stride(1) * axis;
      const Select select(team, memory.select);
      const Count rank = policy.rank(cell);
      const Selected<Key> found =
          select.select([&](Count i) { return column[cell.begin + i]; }, n, rank == 0 ? 1 : rank,
                        cell.lower[axis], cell.upper[axis]);
      const Key threshold = choose_threshold(policy, cell, rank, found);
      made.left = keys_on_left(threshold, found);
      made.right = n - made.left;
      Key right_min = static_cast<Key>(~Key{0}), left_max = 0;
      const MovedRows<Dim, PointSet, Row> arrays{points[side], points[1 - side], rows[side],
                                                 rows[1 - side]};
      partition_by_team<Threads>(team, memory.partition, arrays, Segment{cell.begin, cell.end},
                                 axis, threshold, made.left, right_min, left_max);
      select.reduce_range(right_min, left_max);
      if (made.left > 0) made.left_max = from_ordered_key<Value>(left_max);
      if (made.right > 0) made.right_min = from_ordered_key<Value>(right_min);
    }
    if (team.team_rank() == 0) {
      make_children(policy, cell, made, cells[2 * slot], cells[2 * slot + 1]);
      cells[slot] = cell;
    }
    team.team_barrier();
  }

  KOKKOS_FUNCTION void copy_back(const Team& team, const Cell& cell) const {
    for (Count i = cell.begin + team.team_rank(); i < cell.end; i += Threads) {
      for (int a = 0; a < Dim; ++a) points[0](i, a) = points[1](i, a);
      if (rows[1] != nullptr) rows[0][i] = rows[1][i];
    }
  }
};

/// Cuts `levels` levels below the cells of depth `above`.
template <int Threads, int Teams, class ExecutionSpace, class Policy, class Arrays>
void launch_team_subtrees(const ExecutionSpace& space, const Policy& policy,
                          typename Policy::Cell* cells, int above, int levels,
                          const Arrays& arrays) {
  constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : Threads;
  using Kernel =
      TeamSubtree<ExecutionSpace, Policy, Arrays::dim, typename Arrays::Row, threads, Teams>;
  if (levels <= 0) return;
  const std::uint32_t first = std::uint32_t{1} << above;
  typename Kernel::TeamPolicy team_policy(space, static_cast<int>(first), threads);
  team_policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
  Kokkos::parallel_for("copse::bisect::team_subtrees", team_policy,
                       Kernel{policy,
                              cells,
                              {arrays.points, arrays.spare_points},
                              {arrays.rows(), arrays.spare_rows()},
                              first,
                              levels});
}

}  // namespace copse::detail
