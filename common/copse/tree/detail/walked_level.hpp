#pragma once
/// \file
/// Passes over the rows of a level that is cut without moving them, beside the histograms that find
/// the cuts (walked_histogram.hpp): what lies on either side of the cuts where the histograms do
/// not say it, and at last the places of all rows in the order of the frontier's cells. Each walks
/// every row down from the root (row_walk.hpp).
///
/// Bytes per row: the coordinates on its way, each axis once (4 at the root, 8 a level below), and
/// once more its cell's if that is another one; its place is one byte more.

#include <copse/algorithms/detail/partition_kernels.hpp>
#include <copse/algorithms/multiway_partition.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/tree/detail/distributed_level.hpp>
#include <copse/tree/detail/row_walk.hpp>
#include <copse/tree/detail/walked_histogram.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace copse::detail {

inline constexpr int walk_rows = tile_size / walk_threads;

/// Where a thread's rows are behind its first, if the tile has n rows from there on; of rows beyond
/// the last, its first.
KOKKOS_FORCEINLINE_FUNCTION void tile_offsets(std::uint32_t n, std::uint32_t (&offset)[walk_rows]) {
  COPSE_UNROLL
  for (int r = 0; r < walk_rows; ++r) {
    const auto wide = static_cast<std::uint32_t>(r * walk_threads);
    offset[r] = wide < n ? wide : 0;
  }
}

/// Brings the nodes to a team's scratch memory, and waits.
template <class Team>
KOKKOS_FORCEINLINE_FUNCTION void load_nodes(const Team& team, const RowWalk& walk,
                                            TeamWalkNode* nodes) {
  for (std::int32_t k = team.team_rank(); k < walk.size; k += walk_threads)
    nodes[k] = walk.team_node(k);
  team.team_barrier();
}

template <class Shared>
struct BeginSummary {
  Shared summary;
  KOKKOS_FUNCTION void operator()(Count s) const {
    summary.left(s) = 0;
    summary.left_max(s) = 0;
    summary.right_min(s) = ~typename Shared::KeyType{0};
  }
};

/// Rows left of the threshold, and the keys beside it.
template <class ExecutionSpace, class LevelT, class Summary>
struct WalkedSummaryTile {
  using Key = typename LevelT::Key;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<walk_threads, 2>>;
  using Team = typename Policy::member_type;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  RowWalk walk;
  LevelT level;
  Summary summary;

  std::size_t scratch_bytes() const { return Shared<TeamWalkNode>::shmem_size(walk.size); }

  KOKKOS_FORCEINLINE_FUNCTION void add(TileCount<Key>& count, Key key, Key threshold) const {
    if (key <= threshold) {
      ++count.left;
      if (key > count.left_max) count.left_max = key;
    } else if (key < count.right_min) {
      count.right_min = key;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void publish(Count s, const TileCount<Key>& count) const {
    if (count.left > 0) Kokkos::atomic_add(&summary.left(s), Count{count.left});
    raise_max(&summary.left_max(s), count.left_max);
    lower_min(&summary.right_min(s), count.right_min);
  }

  /// Device: one team a tile, one cell after the other; there are at most 32.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Shared<TeamWalkNode> nodes(team.team_scratch(0), walk.size);
    load_nodes(team, walk, nodes.data());
    const Count begin =
        static_cast<Count>(team.league_rank()) * tile_size + static_cast<Count>(team.team_rank());
    // A thread without rows looks at the last one, for the barriers to come.
    const Count base = begin < walk.rows ? begin : walk.rows - 1;
    const auto n = static_cast<std::uint32_t>(
        begin < walk.rows ? Kokkos::min<Count>(walk.rows - begin, tile_size) : 0);
    std::uint32_t offset[walk_rows];
    std::int32_t node[walk_rows];
    Key key[walk_rows];
    tile_offsets(n, offset);
    walk.find(nodes.data(), base, offset, node);
    COPSE_UNROLL
    for (int r = 0; r < walk_rows; ++r)
      key[r] = ordered_key(nodes(node[r]).column[base + offset[r]]);
    COPSE_UNROLL
    for (int r = 0; r < walk_rows; ++r)
      node[r] = static_cast<std::uint32_t>(r * walk_threads) < n ? walk.nodes[node[r]].wanted : -1;
    const int cells = static_cast<int>(level.active.extent(0));
    for (int s = 0; s < cells; ++s) {
      TileCount<Key> count;
      const Key threshold = level.threshold(s);
      COPSE_UNROLL
      for (int r = 0; r < walk_rows; ++r)
        if (node[r] == s) add(count, key[r], threshold);
      team.team_reduce(JoinTileCounts<Key>(count));
      if (team.team_rank() == 0) publish(s, count);
    }
  }

  /// Host: one thread a tile.
  void operator()(Count t) const {
    std::array<TileCount<Key>, 32> counts{};
    const Count end = std::min(walk.rows, (t + 1) * tile_size);
    for (Count row = t * tile_size; row < end; ++row) {
      const WalkNode& at = walk.nodes[walk.find(row)];
      if (at.wanted < 0) continue;
      add(counts[static_cast<std::size_t>(at.wanted)], ordered_key(walk.value(at.axis, row)),
          level.threshold(at.wanted));
    }
    for (Count s = 0; s < level.active.extent(0); ++s) publish(s, counts[s]);
  }
};

/// Each row's place in the frontier, and how many of a tile's rows are at each place.
template <class ExecutionSpace>
struct PlaceTileRows {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<walk_threads, 4>>;
  using Team = typename Policy::member_type;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  RowWalk walk;
  MultiwayPlaces<MemorySpace> places;
  int levels;  ///< 2^levels = places.size

  std::size_t scratch_bytes() const {
    return Shared<TeamWalkNode>::shmem_size(walk.size) +
           Shared<std::uint32_t>::shmem_size(places.size);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const Shared<TeamWalkNode> nodes(team.team_scratch(0), walk.size);
    const Shared<std::uint32_t> counters(team.team_scratch(0), places.size);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t l = rank; l < places.size; l += walk_threads) counters(l) = 0;
    load_nodes(team, walk, nodes.data());
    const Count begin = tile.begin + rank;
    const Count base = begin < tile.end ? begin : tile.begin;
    const auto n = static_cast<std::uint32_t>(begin < tile.end ? tile.end - begin : 0);
    std::uint32_t offset[walk_rows];
    std::int32_t node[walk_rows];
    tile_offsets(n, offset);
    walk.find(nodes.data(), base, offset, node);
    COPSE_UNROLL
    for (int r = 0; r < walk_rows; ++r) {
      const bool used = static_cast<std::uint32_t>(r * walk_threads) < n;
      const std::uint32_t place = walk.nodes[node[r]].number;
      const std::uint32_t same = packet_match(place, levels) & packet_ballot(used);
      if (!used) continue;
      places.part(base + offset[r]) = static_cast<std::uint8_t>(place);
      // The last of the packet's rows at a place counts for all.
      if (same >> (rank % packet_width) == 1)
        scratch_add(&counters(place), static_cast<std::uint32_t>(Kokkos::popcount(same)));
    }
    team.team_barrier();
    for (std::uint32_t l = rank; l < places.size; l += walk_threads)
      places.count(places.index(t, tile.segment, l)) = counters(l);
  }

  void operator()(Count t) const {
    const Tile tile = places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    std::array<std::uint32_t, 64> counters{};
    for (Count row = tile.begin; row < tile.end; ++row) {
      const std::uint32_t place = walk.nodes[walk.find(row)].number;
      places.part(row) = static_cast<std::uint8_t>(place);
      ++counters[place];
    }
    for (std::uint32_t l = 0; l < places.size; ++l)
      places.count(places.index(t, tile.segment, l)) = counters[l];
  }
};

/// begin(l) = first row of the frontier's cell l once the counts are scanned.
template <class MemorySpace>
struct ReadPlaces {
  MultiwayPlaces<MemorySpace> places;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> begin;
  KOKKOS_FUNCTION void operator()(Count l) const {
    begin(l) = places.count(places.index(0, 0, static_cast<std::uint32_t>(l)));
  }
};

/// Launches a kernel of this file that has both versions.
template <class ExecutionSpace, class Kernel>
void for_each_tile(const std::string& label, const ExecutionSpace& space, Count tiles,
                   const Kernel& kernel) {
  if (tiles == 0) return;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles), kernel);
  } else {
    typename Kernel::Policy policy(space, static_cast<int>(tiles), walk_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for(label, policy, kernel);
  }
}

}  // namespace copse::detail
