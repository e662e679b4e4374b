#pragma once
/// \file
/// The pass of segmented_select that reads every key: compares it with the bracket and copies keys
/// inside.
///
/// Work model per key: 4 bytes read (8 for double), about 8 integer operations, and 4 bytes written
/// for the 6 % inside the bracket.

#include <copse/algorithms/detail/select_kernels.hpp>
#include <copse/algorithms/detail/tile_tuning.hpp>
#include <copse/algorithms/split_rows.hpp>
#include <copse/backend/packet.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::detail {

/// Device version. A thread loads all its keys into registers before it uses the first, because
/// bandwidth requires bytes in flight. Counting takes one ballot and one population count per row;
/// only the totals of the packets go through scratch memory, so a tile needs two barriers.
template <class ExecutionSpace, class Keys, class State>
struct FilterTile {
  using Key = typename State::Key;
  using Team = typename FilterTuning::Policy<ExecutionSpace>::member_type;
  static constexpr int threads = FilterTuning::threads;
  static constexpr int packets = threads / packet_width;
  static constexpr int rows = FilterTuning::rows;

  struct PacketCount {
    std::uint32_t below, at_low, inside, at_high;
  };
  struct Scratch {
    PacketCount packet[packets];
    Count slot;
  };
  using ScratchView = Kokkos::View<Scratch*, typename ExecutionSpace::scratch_memory_space,
                                   Kokkos::MemoryUnmanaged>;
  static std::size_t scratch_bytes() { return ScratchView::shmem_size(1); }

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
      // Past the end: a key above every bracket except the one open at the top.
      mine[r] = i < tile.end ? key(i) : static_cast<Key>(~Key{0});
    }
    const bool open_top = bracket.high == static_cast<Key>(~Key{0});
    const int packet = team.team_rank() / packet_width;
    const int lane = team.team_rank() % packet_width;
    const std::uint32_t lanes_below = (std::uint32_t{1} << lane) - 1;
    PacketCount mine_total{0, 0, 0, 0};
    for (int r = 0; r < rows; ++r) {
      const bool above_low = mine[r] > bracket.low;
      mine_total.below += Kokkos::popcount(packet_ballot(mine[r] < bracket.low));
      mine_total.at_low += Kokkos::popcount(packet_ballot(mine[r] == bracket.low));
      mine_total.inside += Kokkos::popcount(packet_ballot(above_low && mine[r] < bracket.high));
      mine_total.at_high +=
          Kokkos::popcount(packet_ballot(above_low && mine[r] == bracket.high && !open_top));
    }
    ScratchView scratch(team.team_scratch(0), 1);
    if (lane == 0) scratch(0).packet[packet] = mine_total;
    team.team_barrier();
    if (team.team_rank() == 0) {
      PacketCount total = scratch(0).packet[0];
      for (int p = 1; p < packets; ++p) {
        total.below += scratch(0).packet[p].below;
        total.at_low += scratch(0).packet[p].at_low;
        total.inside += scratch(0).packet[p].inside;
        total.at_high += scratch(0).packet[p].at_high;
      }
      BracketCount& count = state.count(tile.segment);
      if (total.below > 0) Kokkos::atomic_add(&count.below, Count{total.below});
      if (total.at_low > 0) Kokkos::atomic_add(&count.at_low, Count{total.at_low});
      if (total.at_high > 0) Kokkos::atomic_add(&count.at_high, Count{total.at_high});
      if (total.inside > 0)
        scratch(0).slot = Kokkos::atomic_fetch_add(&count.inside, Count{total.inside});
    }
    team.team_barrier();
    if (mine_total.inside == 0) return;
    const Segment inner = state.inner(tile.segment);
    Count to = inner.begin + scratch(0).slot;
    for (int p = 0; p < packet; ++p) to += scratch(0).packet[p].inside;
    for (int r = 0; r < rows; ++r) {
      const bool inside = mine[r] > bracket.low && mine[r] < bracket.high;
      const std::uint32_t mask = packet_ballot(inside);
      const Count place = to + Kokkos::popcount(mask & lanes_below);
      if (inside && place < inner.end) state.candidates(place) = mine[r];
      to += Kokkos::popcount(mask);
    }
  }
};

/// Host version: one thread per tile, a vectorised counting loop and, only in tiles that have
/// candidates, a second loop that copies them.
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
    if (inner.begin + slot + inside > inner.end) return;  // overflow: the segment is retried
    // In place: the write position never passes the read position.
    const int kept = keep_between(buffer, n, bracket.low, bracket.high, buffer);
    std::copy_n(buffer, kept, &state.candidates(inner.begin + slot));
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
    FilterTuning::Policy<ExecutionSpace> policy(space, static_cast<int>(tiles.bound),
                                                Kernel::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
    Kokkos::parallel_for("copse::select::filter", policy, Kernel{keys, tiles, state});
  }
}

}  // namespace copse::detail
