#pragma once
/// \file
/// Count left of all cells in one launch ([Rehmann 2022] section 6.5): a table maps blocks of rows
/// to cells, and each team counts one block, whatever the size of the cell.
///
/// The portable version: each thread of a team processes every team-size-th key, the team reduces
/// in scratch memory, and one thread adds the result to the cell's count. The table is made once
/// per level, outside the loop that improves the cuts.

#include "cut_trials.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

template <class MemorySpace>
struct OpenTrial {
  CutTrials<MemorySpace> trials;
  KOKKOS_FUNCTION bool operator()(Count s) const { return trials.is_open(s); }
};

template <class ExecutionSpace>
struct CountTileBatched {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  CutTrials<MemorySpace> trials;
  TileTable<MemorySpace> tiles;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = tiles.tile(team.league_rank());
    if (tile.segment == Tile::none || !trials.is_open(tile.segment)) return;
    const Real* keys = trials.column(tile.segment).keys + tile.begin;
    const Real cut = trials.cut(tile.segment);
    std::uint32_t left = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<std::uint32_t>(tile.end - tile.begin)),
        [&](std::uint32_t i, std::uint32_t& sum) { sum += keys[i] <= cut; }, left);
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      if (left > 0) Kokkos::atomic_add(&trials.left(tile.segment), Count{left});
    });
  }
};

template <class ExecutionSpace>
class CountBatched {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  void prepare(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials,
               Workspace<MemorySpace>& workspace) {
    tiles_ = make_tiles(space, trials.segments, trials.rows, trials.segments.extent(0), workspace,
                        "count_batched", OpenTrial<MemorySpace>{trials});
  }

  /// \return kernels launched
  Count run(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials) {
    Kokkos::parallel_for("copse::orb::count_batched",
                         Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(tiles_.bound),
                                                            runs_on_host<ExecutionSpace> ? 1 : 256),
                         CountTileBatched<ExecutionSpace>{trials, tiles_});
    return 1;
  }

 private:
  TileTable<MemorySpace> tiles_;
};

}  // namespace copse::orb
