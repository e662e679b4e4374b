#pragma once
/// \file
/// The pass of segmented_select that reads every key: count against the bracket, keep the inside.
///
/// Work model per key: 4 bytes read (8 for double), about 8 integer operations, and 4 bytes written
/// for the 6 % inside the bracket.

#include <copse/algorithms/detail/select_kernels.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// Device version: a thread keeps its rows' keys in registers, all loaded before the first is used,
/// because bytes in flight are what bandwidth is made of.
template <class ExecutionSpace, class Keys, class State>
struct FilterTile {
  using Key = typename State::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int threads = 256;
  static constexpr int rows = tile_size / threads;

  Keys keys;
  TileTable<typename ExecutionSpace::memory_space> tiles;
  State state;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Tile tile = tiles.tile(team.league_rank());
    if (tile.segment == Tile::none) return;
    const auto key = keys.segment(tile.segment);
    const Bracket<Key> bracket = state.bracket(tile.segment);
    Key mine[rows];
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + team.team_rank() + static_cast<Count>(r) * threads;
      // Past the end: a key above every bracket, which is not counted.
      mine[r] = i < tile.end ? key(i) : static_cast<Key>(~Key{0});
    }
    std::uint32_t below = 0, at_low = 0, inside = 0, at_high = 0;
    for (int r = 0; r < rows; ++r) {
      below += mine[r] < bracket.low;
      at_low += mine[r] == bracket.low;
      inside += mine[r] > bracket.low && mine[r] < bracket.high;
      at_high += mine[r] == bracket.high && bracket.low < bracket.high;
    }
    // Two counts fit one word, as neither exceeds tile_size: half the reductions.
    std::uint32_t low_pair = below | (at_low << 16);
    team.team_reduce(Kokkos::Sum<std::uint32_t>(low_pair));
    std::uint32_t high = at_high;
    if (bracket.high == static_cast<Key>(~Key{0})) high = 0;  // padding is not data
    team.team_reduce(Kokkos::Sum<std::uint32_t>(high));
    const std::uint32_t before = team.team_scan(inside);
    std::uint32_t total = before + inside;
    team.team_broadcast(total, threads - 1);

    BracketCount& count = state.count(tile.segment);
    Count slot = 0;
    if (team.team_rank() == 0) {
      if (low_pair & 0xffff) Kokkos::atomic_add(&count.below, Count{low_pair & 0xffff});
      if (low_pair >> 16) Kokkos::atomic_add(&count.at_low, Count{low_pair >> 16});
      if (high) Kokkos::atomic_add(&count.at_high, Count{high});
      if (total) slot = Kokkos::atomic_fetch_add(&count.inside, Count{total});
    }
    if (total == 0) return;
    team.team_broadcast(slot, 0);
    const Segment inner = state.inner(tile.segment);
    Count to = inner.begin + slot + before;
    for (int r = 0; r < rows; ++r)
      if (mine[r] > bracket.low && mine[r] < bracket.high) {
        if (to < inner.end) state.candidates(to) = mine[r];
        ++to;
      }
  }
};

/// Host version: one thread a tile, a counting loop that vectorises and, only in tiles that have
/// candidates, a second one that copies them.
template <class ExecutionSpace, class Keys, class State>
struct FilterTileOnHost {
  using Key = typename State::Key;
  Keys keys;
  TileTable<typename ExecutionSpace::memory_space> tiles;
  State state;

  void operator()(Count t) const {
    const Tile tile = tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const auto key = keys.segment(tile.segment);
    const Bracket<Key> bracket = state.bracket(tile.segment);
    const int n = static_cast<int>(tile.end - tile.begin);
    Key buffer[tile_size];
    for (int i = 0; i < n; ++i) buffer[i] = key(tile.begin + i);
    Key below = 0, at_low = 0, up_to_high = 0, at_high = 0;
    for (int i = 0; i < n; ++i) {
      below += buffer[i] < bracket.low;
      at_low += buffer[i] == bracket.low;
      up_to_high += buffer[i] < bracket.high;
      at_high += buffer[i] == bracket.high;
    }
    const bool open = bracket.low < bracket.high;
    const Count inside = open ? up_to_high - below - at_low : 0;
    BracketCount& count = state.count(tile.segment);
    if (below) Kokkos::atomic_add(&count.below, Count{below});
    if (at_low) Kokkos::atomic_add(&count.at_low, Count{at_low});
    if (open && at_high) Kokkos::atomic_add(&count.at_high, Count{at_high});
    if (inside == 0) return;
    const Segment inner = state.inner(tile.segment);
    const Count slot = Kokkos::atomic_fetch_add(&count.inside, inside);
    if (inner.begin + slot + inside > inner.end) return;  // overflow: the segment tries again
    Key* to = &state.candidates(inner.begin + slot);
    // Always write, advance only if it is kept: no branch to mispredict. The last write may fall
    // one past the kept ones, hence the copy through the buffer.
    int kept = 0;
    for (int i = 0; i < n; ++i) {
      const Key k = buffer[i];
      buffer[kept] = k;
      kept += k > bracket.low && k < bracket.high;
    }
    for (int i = 0; i < kept; ++i) to[i] = buffer[i];
  }
};

template <class ExecutionSpace, class Keys, class State, class Tiles>
void launch_filter(const ExecutionSpace& space, const Keys& keys, const Tiles& tiles,
                   const State& state) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::select::filter",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles.bound),
                         FilterTileOnHost<ExecutionSpace, Keys, State>{keys, tiles, state});
  } else {
    using Kernel = FilterTile<ExecutionSpace, Keys, State>;
    Kokkos::parallel_for(
        "copse::select::filter",
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(tiles.bound), Kernel::threads),
        Kernel{keys, tiles, state});
  }
}

}  // namespace copse::detail
