#pragma once
/// \file
/// The pass of the fused engine that moves rows: every row goes to its leaf slot at once, stably,
/// out of place, instead of left or right level by level.
///
/// A tile is sorted by leaf slot in scratch memory before it is written, so that neighbouring
/// threads write neighbouring rows and a tile's 4096 rows leave it in at most 2^levels runs.
///
/// Work model per row: every column once in and once out (2 * 16 bytes for float positions with a
/// 32-bit index); per column one write and one read of scratch memory.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/tree/fused/cut_forest.hpp>
#include <copse/tree/fused/sweep.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace copse::fused {

inline constexpr int move_threads = 512;
using MoveBounds = Kokkos::LaunchBounds<move_threads, 3>;

template <class MemorySpace, class Forest>
struct MoveArguments {
  using Key = typename Forest::Key;
  const Real* from[3];
  Real* to[3];
  const LocalIndex* index_from;  ///< null: the rows' own numbers
  LocalIndex* index_to;          ///< null: no index is carried
  Forest forest;
  TileTable<MemorySpace> tiles;
  /// [tiles * size] First place of a tile's rows at a leaf slot, in the order of TileCounts.
  TileCounts<MemorySpace> places;
};

template <class ExecutionSpace, class Forest>
struct MoveTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace, MoveBounds>::member_type;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  template <class T>
  using Shared = Kokkos::View<T*, Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr int packets = move_threads / packet_width;
  static constexpr int rows = tile_size / move_threads;

  MoveArguments<MemorySpace, Forest> arg;

  std::size_t scratch_bytes() const {
    const std::uint32_t size = arg.forest.size;
    return Shared<CutNode<Key>>::shmem_size(size) +
           Shared<std::uint32_t>::shmem_size(size * packets) +
           2 * Shared<std::uint32_t>::shmem_size(size) +
           Shared<std::uint8_t>::shmem_size(tile_size) + Shared<Real>::shmem_size(tile_size);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = arg.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const std::uint32_t size = arg.forest.size;
    const int rank = team.team_rank();
    const int packet = rank / packet_width;
    const int lane = rank % packet_width;
    const int n = static_cast<int>(tile.end - tile.begin);
    Shared<CutNode<Key>> nodes(team.team_scratch(0), size);
    Shared<std::uint32_t> counters(team.team_scratch(0), size * packets);
    Shared<std::uint32_t> start(team.team_scratch(0), size);  // of a leaf in the sorted tile
    Shared<LocalIndex> place(team.team_scratch(0), size);     // of that start in the output
    Shared<std::uint8_t> leaf_at(team.team_scratch(0), tile_size);
    Shared<Real> stage(team.team_scratch(0), tile_size);

    // A packet owns consecutive rows and takes them 32 at a time, so that order is kept.
    const int first = packet * rows * packet_width + lane;
    Real value[3][rows];
    for (int r = 0; r < rows; ++r) {
      const int i = first + r * packet_width;
      for (int a = 0; a < 3; ++a) value[a][r] = i < n ? arg.from[a][tile.begin + i] : Real{0};
    }
    const Count first_node = static_cast<Count>(tile.segment) * size;
    for (std::uint32_t i = rank; i < size; i += move_threads)
      nodes(i) = arg.forest.node(first_node + i);
    for (std::uint32_t i = rank; i < size * packets; i += move_threads) counters(i) = 0;
    for (std::uint32_t l = rank; l < size; l += move_threads)
      place(l) = arg.places.count(arg.places.index(t, tile.segment, l));
    team.team_barrier();

    std::uint32_t* mine = &counters(size * packet);
    std::uint32_t leaf[rows];
    std::uint32_t to[rows];
    const std::uint32_t lanes_below = (std::uint32_t{1} << lane) - 1;
    for (int r = 0; r < rows; ++r) {
      const bool used = first + r * packet_width < n;
      leaf[r] = used ? walk(nodes.data(), 1u, size, ordered_key(value[0][r]),
                            ordered_key(value[1][r]), ordered_key(value[2][r])) -
                           size
                     : size;
      // Lanes beyond the end match each other only, by the extra bit.
      const std::uint32_t same = packet_match(leaf[r], arg.forest.levels + 1);
      const std::uint32_t before = used ? mine[leaf[r]] : 0;
      to[r] = before + Kokkos::popcount(same & lanes_below);
      packet_sync();
      if (used && (same >> lane) == 1) mine[leaf[r]] = before + Kokkos::popcount(same);
      packet_sync();
    }
    team.team_barrier();
    // Where each leaf starts in the sorted tile, and where each packet's rows of it do.
    if (packet == 0) {
      std::uint32_t running = 0;
      for (std::uint32_t l0 = 0; l0 < size; l0 += packet_width) {
        const std::uint32_t l = l0 + lane;
        std::uint32_t total = 0;
        if (l < size) {
          for (int p = 0; p < packets; ++p) {
            const std::uint32_t here = counters(size * p + l);
            counters(size * p + l) = total;
            total += here;
          }
        }
        const std::uint32_t inclusive = packet_inclusive_sum(total);
        if (l < size) {
          start(l) = running + inclusive - total;
          place(l) -= running + inclusive - total;  // so that place + sorted row is the target
        }
        running += packet_broadcast(inclusive, packet_width - 1);
      }
    }
    team.team_barrier();
    for (int r = 0; r < rows; ++r) {
      if (leaf[r] == size) continue;
      to[r] += start(leaf[r]) + mine[leaf[r]];
      leaf_at(to[r]) = static_cast<std::uint8_t>(leaf[r]);
    }
    team.team_barrier();
    LocalIndex target[rows];
    for (int r = 0; r < rows; ++r) {
      const int i = rank + r * move_threads;
      target[r] = i < n ? place(leaf_at(i)) + i : 0;
    }
    for (int a = 0; a < 3; ++a) {
      for (int r = 0; r < rows; ++r)
        if (leaf[r] != size) stage(to[r]) = value[a][r];
      team.team_barrier();
      for (int r = 0; r < rows; ++r) {
        const int i = rank + r * move_threads;
        if (i < n) arg.to[a][target[r]] = stage(i);
      }
      team.team_barrier();
    }
    if (arg.index_to == nullptr) return;
    LocalIndex* stage_index = reinterpret_cast<LocalIndex*>(stage.data());
    for (int r = 0; r < rows; ++r) {
      const int i = first + r * packet_width;
      if (leaf[r] == size) continue;
      const Count row = tile.begin + i;
      stage_index[to[r]] =
          arg.index_from == nullptr ? static_cast<LocalIndex>(row) : arg.index_from[row];
    }
    team.team_barrier();
    for (int r = 0; r < rows; ++r) {
      const int i = rank + r * move_threads;
      if (i < n) arg.index_to[target[r]] = stage_index[i];
    }
  }
};

/// Host version, one thread a tile: all targets first, then one column after the other, each with
/// one input stream and at most 2^levels output streams.
template <class ExecutionSpace, class Forest>
struct MoveTileOnHost {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  MoveArguments<MemorySpace, Forest> arg;

  void operator()(Count t) const {
    const Tile tile = arg.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const std::uint32_t size = arg.forest.size;
    const CutNode<Key>* nodes = &arg.forest.node(static_cast<Count>(tile.segment) * size);
    std::array<LocalIndex, 1 << most_levels> place{};
    for (std::uint32_t l = 0; l < size; ++l)
      place[l] = arg.places.count(arg.places.index(t, tile.segment, l));
    const int n = static_cast<int>(tile.end - tile.begin);
    LocalIndex target[tile_size];
    for (int r = 0; r < n; ++r) {
      const Count i = tile.begin + r;
      const std::uint32_t end = walk(nodes, 1u, size, ordered_key(arg.from[0][i]),
                                     ordered_key(arg.from[1][i]), ordered_key(arg.from[2][i]));
      target[r] = place[end - size]++;
    }
    for (int a = 0; a < 3; ++a) {
      const Real* from = arg.from[a] + tile.begin;
      for (int r = 0; r < n; ++r) arg.to[a][target[r]] = from[r];
    }
    if (arg.index_to == nullptr) return;
    for (int r = 0; r < n; ++r) {
      const Count row = tile.begin + r;
      arg.index_to[target[r]] =
          arg.index_from == nullptr ? static_cast<LocalIndex>(row) : arg.index_from[row];
    }
  }
};

template <class ExecutionSpace, class MemorySpace, class Forest>
void launch_multiway_move(const ExecutionSpace& space,
                          const MoveArguments<MemorySpace, Forest>& arg) {
  const Count tiles = arg.tiles.bound;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::fused::move", Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles),
                         MoveTileOnHost<ExecutionSpace, Forest>{arg});
  } else {
    const MoveTile<ExecutionSpace, Forest> kernel{arg};
    Kokkos::TeamPolicy<ExecutionSpace, MoveBounds> policy(space, static_cast<int>(tiles),
                                                          move_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for("copse::fused::move", policy, kernel);
  }
}

}  // namespace copse::fused
