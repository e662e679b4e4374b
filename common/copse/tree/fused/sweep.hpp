#pragma once
/// \file
/// The pass of the fused engine that reads every position: sends each row through its segment's
/// decision tree, counts the rows of a tile at each leaf slot, and lists those inside a bracket.
///
/// Work model per row: 3 keys read (12 bytes for float), per level one node from scratch memory and
/// about eight integer operations; 16 bytes written for each row inside, 4 bytes a tile and leaf.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/fused/cut_forest.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace copse::fused {

/// Largest number of levels in a round.
inline constexpr int most_levels = 6;

/// Threads of a team of the device kernels, and how many teams a multiprocessor should hold.
inline constexpr int sweep_threads = 512;
using SweepBounds = Kokkos::LaunchBounds<sweep_threads, 2>;

template <class MemorySpace, class Forest>
struct SweepArguments {
  using Key = typename Forest::Key;
  const Real* column[3];
  Forest forest;
  TileCounts<MemorySpace> counts;
  InsideLists<MemorySpace, Key> lists;
  /// [segments] Which segments to sweep; the counts of others stay.
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FORCEINLINE_FUNCTION Key key(int axis, Count row) const {
    return ordered_key(column[axis][row]);
  }
};

/// Device version, one team a tile. Every packet counts in counters of its own; the count before a
/// row is its place in the packet's share of the list.
template <class ExecutionSpace, class Forest>
struct SweepTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace, SweepBounds>::member_type;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  using Nodes = Kokkos::View<CutNode<Key>*, Scratch, Kokkos::MemoryUnmanaged>;
  using Counters = Kokkos::View<std::uint32_t*, Scratch, Kokkos::MemoryUnmanaged>;
  using Places = Kokkos::View<Count*, Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr int packets = sweep_threads / packet_width;
  static constexpr int rows = tile_size / sweep_threads;

  SweepArguments<MemorySpace, Forest> arg;

  std::size_t scratch_bytes() const {
    return Nodes::shmem_size(arg.forest.size) +
           Counters::shmem_size(2 * arg.forest.size * packets) +
           Places::shmem_size(arg.forest.size);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = arg.counts.tiles.tile(t);
    if (tile.segment == Tile::none || !arg.wanted(tile.segment)) return;
    const std::uint32_t size = arg.forest.size;
    const int rank = team.team_rank();
    Nodes nodes(team.team_scratch(0), size);
    Counters counters(team.team_scratch(0), 2 * size * packets);
    Places places(team.team_scratch(0), size);
    Key x[rows], y[rows], z[rows];
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + rank + static_cast<Count>(r) * sweep_threads;
      if (i < tile.end) {
        x[r] = arg.key(0, i);
        y[r] = arg.key(1, i);
        z[r] = arg.key(2, i);
      }
    }
    const Count first_node = static_cast<Count>(tile.segment) * size;
    for (std::uint32_t i = rank; i < size; i += sweep_threads)
      nodes(i) = arg.forest.node(first_node + i);
    for (std::uint32_t i = rank; i < 2 * size * packets; i += sweep_threads) counters(i) = 0;
    team.team_barrier();

    std::uint32_t* mine = &counters(2 * size * (rank / packet_width));
    std::uint32_t end[rows];  // where the row ends: a node it is inside of, or size + its leaf
    std::uint32_t before[rows];
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + rank + static_cast<Count>(r) * sweep_threads;
      end[r] = 0;
      if (i < tile.end) {
        end[r] = walk(nodes.data(), 1u, size, x[r], y[r], z[r]);
        before[r] = Kokkos::atomic_fetch_add(mine + end[r], 1u);
      }
    }
    team.team_barrier();
    for (std::uint32_t e = rank; e < 2 * size; e += sweep_threads) {
      std::uint32_t sum = 0;
      for (int p = 0; p < packets; ++p) {
        const std::uint32_t here = counters(2 * size * p + e);
        counters(2 * size * p + e) = sum;
        sum += here;
      }
      if (e >= size) {
        arg.counts.count(arg.counts.index(t, tile.segment, e - size)) = sum;
      } else if (sum > 0) {
        places(e) = Kokkos::atomic_fetch_add(&arg.lists.length(first_node + e), Count{sum});
      }
    }
    team.team_barrier();
    for (int r = 0; r < rows; ++r) {
      if (end[r] == 0 || end[r] >= size) continue;
      const Segment slots = arg.lists.slots(first_node + end[r]);
      const Count place = slots.begin + places(end[r]) + mine[end[r]] + before[r];
      if (place < slots.end) arg.lists.store(place, x[r], y[r], z[r], static_cast<LocalIndex>(t));
    }
  }
};

/// Host version, one thread a tile.
template <class ExecutionSpace, class Forest>
struct SweepTileOnHost {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  SweepArguments<MemorySpace, Forest> arg;

  void operator()(Count t) const {
    const Tile tile = arg.counts.tiles.tile(t);
    if (tile.segment == Tile::none || !arg.wanted(tile.segment)) return;
    const std::uint32_t size = arg.forest.size;
    const Count first_node = static_cast<Count>(tile.segment) * size;
    const CutNode<Key>* nodes = &arg.forest.node(first_node);
    const int n = static_cast<int>(tile.end - tile.begin);
    // Two sets of counters: neighbouring rows often end at the same place, and an increment that
    // waits for the one before it costs more than the walk.
    std::array<std::uint32_t, 2 << most_levels> count[2] = {};
    std::uint8_t end[tile_size];
    static_assert((2 << most_levels) <= 256);
    for (int r = 0; r < n; ++r) {
      const Count i = tile.begin + r;
      const std::uint32_t e = walk(nodes, 1u, size, arg.key(0, i), arg.key(1, i), arg.key(2, i));
      end[r] = static_cast<std::uint8_t>(e);
      ++count[r & 1][e];
    }
    std::uint32_t inside = 0;
    std::array<Count, 1 << most_levels> place{};
    for (std::uint32_t e = 1; e < size; ++e) {
      const std::uint32_t here = count[0][e] + count[1][e];
      if (here == 0) continue;
      inside += here;
      place[e] = arg.lists.slots(first_node + e).begin +
                 Kokkos::atomic_fetch_add(&arg.lists.length(first_node + e), Count{here});
    }
    for (std::uint32_t e = size; e < 2 * size; ++e)
      arg.counts.count(arg.counts.index(t, tile.segment, e - size)) = count[0][e] + count[1][e];
    if (inside == 0) return;
    for (int r = 0; r < n; ++r) {
      if (end[r] >= size) continue;
      const Count i = tile.begin + r;
      const Count to = place[end[r]]++;
      if (to < arg.lists.slots(first_node + end[r]).end)
        arg.lists.store(to, arg.key(0, i), arg.key(1, i), arg.key(2, i),
                        static_cast<LocalIndex>(t));
    }
  }
};

template <class ExecutionSpace, class MemorySpace, class Forest>
void launch_sweep(const ExecutionSpace& space, const SweepArguments<MemorySpace, Forest>& arg) {
  const Count tiles = arg.counts.tiles.bound;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::fused::sweep",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles),
                         SweepTileOnHost<ExecutionSpace, Forest>{arg});
  } else {
    const SweepTile<ExecutionSpace, Forest> kernel{arg};
    Kokkos::TeamPolicy<ExecutionSpace, SweepBounds> policy(space, static_cast<int>(tiles),
                                                           sweep_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for("copse::fused::sweep", policy, kernel);
  }
}

}  // namespace copse::fused
