#pragma once
/// \file
/// Global reshuffling (distributed_orb.hpp): after each level the particles of a cell move to that
/// cell's ranks, and the ranks split into groups that share no cell.

#include <copse/domains/detail/cell_exchange.hpp>
#include <copse/domains/detail/own_cells.hpp>
#include <copse/domains/detail/shared_level.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace copse::detail {

/// Removes the particles of this rank's own cells from the working set, so that long-shared cells
/// do not move them along. The group's shared cells remain. `me` is this rank's world rank.
template <class State>
void set_own_cells_aside(State& s, int me) {
  std::vector<LocalCell> shared, mine;
  Count rows = 0;
  bool shares = false;
  for (const LocalCell& cell : s.cells) {
    if (s.is_shared(cell)) {
      shared.push_back(cell);
      rows += cell.rows.size();
      shares = shares || s.ownership.ranks_of(cell.leaves).contains(me);
    } else if (s.ownership.owner(cell.leaves.first) == me) {
      mine.push_back(cell);
    }
  }
  s.cells = std::move(shared);
  if (!shares && mine.size() == 1 && s.own.empty()) {
    // A single cell with all particles takes over the array: nothing else will arrive.
    s.own.push_back({mine[0], s.rows, mine[0].rows});
    s.rows = s.room(set_beside(s.rows.set), 0);
    return;
  }
  for (const LocalCell& cell : mine) {
    const Count n = cell.rows.size();
    s.own.push_back({cell, s.room(2 + static_cast<int>(s.own.size()), n), {0, n}});
    copy_rows(s.space, cell.rows, s.rows, s.own.back().rows, 0);
  }
  const auto rest = s.room(set_beside(s.rows.set), rows);
  Count begin = 0;
  for (LocalCell& cell : s.cells) {
    copy_rows(s.space, cell.rows, s.rows, rest, begin);
    cell.rows = {begin, begin + cell.rows.size()};
    begin = cell.rows.end;
  }
  s.space.fence("copse::distributed::set_aside");
  s.rows = rest;
}

/// Keeps the cells of the run of ranks around `me` in which neighbours share cells. Returns a
/// number that is equal on all ranks of that run and differs from that of every other run in the
/// group of `ranks`.
template <class State>
int keep_connected_cells(State& s, int me, int ranks) {
  std::vector<LocalCell> mine;
  RankRange run{-1, -1};
  bool found = false;
  for (const LocalCell& cell : s.cells) {
    const RankRange owners = s.ownership.ranks_of(cell.leaves);
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
  s.cells = std::move(mine);
  // A rank outside all runs is a group of its own: me + ranks exceeds the first rank of any run.
  return found ? run.first : me + ranks;
}

/// Cuts and exchanges until this rank has only cells of its own. Collective.
template <class State>
void reshuffle_globally(State& s) {
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::shared_levels");
  std::optional<Communicator> split;
  int first = 0;
  for (const Communicator* group = &s.world; group->size() > 1;) {
    if (const CutFlags open = s.open_cells(); any(open)) {
      auto search = s.shared_search(*group);
      cut_cells(s, *group, open, search);
      s.remember_rounds(search);
    }
    exchange_cells(s, *group, first);
    const int me = first + group->rank();
    set_own_cells_aside(s, me);
    const int color = keep_connected_cells(s, me, group->size());
    Communicator next = group->split(color, me);
    // A rank without shared cells forms a group alone.
    first = s.cells.empty() ? me : s.ownership.ranks_of(s.cells.front().leaves).first;
    split.emplace(std::move(next));
    group = &*split;
  }
}

}  // namespace copse::detail
