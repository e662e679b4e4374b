#pragma once
/// \file
/// Global reshuffling (distributed_orb.hpp): after each level the rows of a cell move to that
/// cell's ranks, and ranks part into groups that share no cell.

#include <copse/domains/detail/distributed_state.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace copse::detail {

inline bool has_open(const std::vector<LocalCell>& cells) {
  for (const LocalCell& cell : cells)
    if (cell.leaves.count > 1) return true;
  return false;
}

template <class ExecutionSpace, class Row>
class ReshuffleGlobally {
 public:
  using State = DistributedState<ExecutionSpace, Row>;
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit ReshuffleGlobally(State& state) : s_(state) {}

  /// Leaves this rank with cells of its own. Collective.
  void run() {
    const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
    std::optional<Communicator> split;
    int first = 0;
    for (const Communicator* group = &s_.world; group->size() > 1;) {
      if (has_open(s_.cells)) {
        auto search = s_.shared_search(*group);
        s_.cells = cut_cells(
            s_.context(*group), s_.cells,
            [](const LocalCell& cell) { return cell.leaves.count > 1; }, search);
        s_.remember_rounds(search);
        s_.known.insert(s_.known.end(), s_.cells.begin(), s_.cells.end());
      }
      s_.exchange(*group, first);
      const int me = first + group->rank();
      set_own_cells_aside(me);
      const int color = keep_connected_cells(me, group->size());
      Communicator next = group->split(color, me);
      // A rank that shares no cell goes on alone.
      first = s_.cells.empty() ? me : s_.ownership.ranks_of(s_.cells.front().leaves).first;
      split.emplace(std::move(next));
      group = &*split;
    }
  }

 private:
  /// Takes the rows of this rank's own cells out of those that are still worked on, so that cells
  /// that are shared for long do not carry them along. Leaves the shared cells of the group.
  void set_own_cells_aside(int me) {
    std::vector<LocalCell> shared, mine;
    Count rows = 0;
    bool shares = false;
    for (const LocalCell& cell : s_.cells) {
      if (s_.is_shared(cell)) {
        shared.push_back(cell);
        rows += cell.rows.size();
        shares = shares || s_.ownership.ranks_of(cell.leaves).contains(me);
      } else if (s_.ownership.owner(cell.leaves.first) == me) {
        mine.push_back(cell);
      }
    }
    s_.cells = std::move(shared);
    if (!shares && mine.size() == 1 && s_.own.empty()) {
      // One cell has it all, and gets the array: nothing else will come.
      s_.own.push_back({mine[0], s_.rows, mine[0].rows});
      s_.rows = room_for_rows<MemorySpace, Row>(s_.workspace, set_beside(s_.rows.set), 0);
      return;
    }
    for (const LocalCell& cell : mine) {
      const Count n = cell.rows.size();
      const int set = 2 + static_cast<int>(s_.own.size());
      s_.own.push_back({cell, room_for_rows<MemorySpace, Row>(s_.workspace, set, n), {0, n}});
      copy_rows(s_.space, cell.rows, s_.rows, s_.own.back().rows, 0);
    }
    const auto rest = room_for_rows<MemorySpace, Row>(s_.workspace, set_beside(s_.rows.set), rows);
    Count begin = 0;
    for (LocalCell& cell : s_.cells) {
      copy_rows(s_.space, cell.rows, s_.rows, rest, begin);
      cell.rows = {begin, begin + cell.rows.size()};
      begin = cell.rows.end;
    }
    s_.space.fence("copse::distributed::set_aside");
    s_.rows = rest;
  }

  /// Keeps the cells of the run of ranks around `me` that share cells with their neighbours.
  /// Returns a number that is the same for all ranks of that run and no others of the group.
  int keep_connected_cells(int me, int ranks) {
    std::vector<LocalCell> mine;
    RankRange run{-1, -1};
    bool found = false;
    for (const LocalCell& cell : s_.cells) {
      const RankRange owners = s_.ownership.ranks_of(cell.leaves);
      if (owners.first > run.last) {
        if (found) break;
        run = owners;
        mine.clear();
      }
      run.last = owners.last;
      mine.push_back(cell);
      found = found || run.contains(me);
    }
    if (!found) mine.clear();
    s_.cells = std::move(mine);
    // No run starts at a rank without cells, so adding the ranks keeps the two kinds apart.
    return found ? run.first : me + ranks;
  }

  State& s_;
};

}  // namespace copse::detail
