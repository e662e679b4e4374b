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
  static constexpr Count nothing_inside = ~Count{0};

  /// Fields of the packed counts; a count is at most tile_size.
  static constexpr int field_bits = 13;
  static constexpr std::uint64_t field = (std::uint64_t{1} << field_bits) - 1;
  static_assert(tile_size <= static_cast<int>(field));
  static constexpr int below_bits = 0;
  static constexpr int at_low_bits = field_bits;
  static constexpr int inside_bits = 2 * field_bits;
  static constexpr int at_high_bits = 3 * field_bits;

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
    // The four counts of a tile share one word, so a single scan serves for all: it gives every
    // thread its place among the candidates and the last thread the totals.
    std::uint64_t counts = 0;
    for (int r = 0; r < rows; ++r) {
      const bool above_low = mine[r] > bracket.low;
      counts += static_cast<std::uint64_t>(mine[r] < bracket.low) << below_bits;
      counts += static_cast<std::uint64_t>(mine[r] == bracket.low) << at_low_bits;
      counts += static_cast<std::uint64_t>(above_low && mine[r] < bracket.high) << inside_bits;
      counts += static_cast<std::uint64_t>(above_low && mine[r] == bracket.high) << at_high_bits;
    }
    // Padding is above every bracket but the one that is open at the top, where it is no data.
    if (bracket.high == static_cast<Key>(~Key{0})) counts &= ~(field << at_high_bits);
    const std::uint64_t before = team.team_scan(counts);

    Count slot = nothing_inside;
    if (team.team_rank() == threads - 1) {
      const std::uint64_t total = before + counts;
      const auto add = [&](Count& target, int bits) {
        const Count n = (total >> bits) & field;
        if (n > 0) Kokkos::atomic_add(&target, n);
      };
      BracketCount& count = state.count(tile.segment);
      add(count.below, below_bits);
      add(count.at_low, at_low_bits);
      add(count.at_high, at_high_bits);
      const Count inside = (total >> inside_bits) & field;
      if (inside > 0) slot = Kokkos::atomic_fetch_add(&count.inside, inside);
    }
    team.team_broadcast(slot, threads - 1);
    if (slot == nothing_inside) return;
    const Segment inner = state.inner(tile.segment);
    Count to = inner.begin + slot + ((before >> inside_bits) & field);
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
