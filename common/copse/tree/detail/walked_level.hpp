#pragma once
/// \file
/// The passes over the rows of a level that is cut without moving them: histograms of the keys of
/// the cells to be cut, what lies on either side of their cuts, and at last the places of all rows
/// in the order of the frontier's cells. Each walks every row down from the root (row_walk.hpp).
///
/// Bytes per row: the coordinates on its way, each axis once (4 at the root, 8 a level below), and
/// once more its cell's if that is another one.

#include <copse/algorithms/detail/partition_kernels.hpp>
#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/tree/detail/distributed_level.hpp>
#include <copse/tree/detail/row_walk.hpp>
#include <copse/tree/fused/cut_forest.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

namespace copse::detail {

/// Most bins over all cells of a level: 32 KiB of 32-bit sums in scratch memory.
inline constexpr int walked_bins_bits = 13;
inline constexpr int walk_threads = 256;
inline constexpr int walk_rows = tile_size / walk_threads;

inline Count walked_tiles(Count rows) {
  return (rows + tile_size - 1) / tile_size;
}

template <class ExecutionSpace, class Key, class Prefix, class Weight>
struct WalkedHistogramTile {
  using Sum = typename Weight::TileSum;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<walk_threads, 4>>;
  using Team = typename Policy::member_type;
  using Bins =
      Kokkos::View<Sum*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  RowWalk walk;
  KeyDigit<Key> digit;
  Prefix prefix;
  Weight weight;
  Count* histogram;
  int bins;

  /// The bin of a row at a node of the frontier; -1 if it counts in none.
  KOKKOS_FORCEINLINE_FUNCTION int bin(const WalkNode& node, Count row) const {
    if (node.wanted < 0) return -1;
    const Key key = ordered_key(walk.value(node.axis, row));
    if (!digit.agrees(key, prefix(node.wanted))) return -1;
    return static_cast<int>((static_cast<std::uint32_t>(node.wanted) << digit.bits) +
                            digit.value(key));
  }

  /// Device: one team a tile.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Bins sums(team.team_scratch(0), bins);
    for (int b = team.team_rank(); b < bins; b += walk_threads) sums(b) = 0;
    team.team_barrier();
    const Count first = static_cast<Count>(team.league_rank()) * tile_size + team.team_rank();
    std::int32_t node[walk_rows];
    walk.find(first, walk_threads, node);
    for (int r = 0; r < walk_rows; ++r) {
      const Count row = first + static_cast<Count>(r) * walk_threads;
      if (row >= walk.rows) continue;
      const int b = bin(walk.nodes[node[r]], row);
      if (b >= 0) Kokkos::atomic_add(&sums(b), Sum{weight(row)});
    }
    team.team_barrier();
    for (int b = team.team_rank(); b < bins; b += walk_threads)
      if (sums(b) > 0) Kokkos::atomic_add(histogram + b, Count{sums(b)});
  }
};

/// Host: one thread a tile.
template <class Kernel>
struct WalkedHistogramTileOnHost {
  Kernel kernel;
  void operator()(Count t) const {
    std::array<typename Kernel::Sum, std::size_t{1} << walked_bins_bits> sums;
    for (int b = 0; b < kernel.bins; ++b) sums[b] = 0;
    const Count end = std::min(kernel.walk.rows, (t + 1) * tile_size);
    for (Count row = t * tile_size; row < end; ++row) {
      std::int32_t node[1];
      kernel.walk.find(row, 1, node);
      const int b = kernel.bin(kernel.walk.nodes[node[0]], row);
      if (b >= 0) sums[b] += kernel.weight(row);
    }
    for (int b = 0; b < kernel.bins; ++b)
      if (sums[b] > 0) Kokkos::atomic_add(kernel.histogram + b, Count{sums[b]});
  }
};

/// What HistogramCuts counts with; `walk` is set before each level.
struct CountByWalking {
  RowWalk walk = {};

  static constexpr int bits(Count cells, int key_bits) {
    const int most =
        walked_bins_bits - static_cast<int>(std::bit_width(std::max<Count>(cells, 1) - 1));
    const int limit = std::min(most, max_histogram_bits);
    const int digits = (key_bits + limit - 1) / limit;
    return (key_bits + digits - 1) / digits;
  }
  template <class ExecutionSpace, class LevelT, class MemorySpace>
  void begin(const ExecutionSpace&, const LevelT&, Workspace<MemorySpace>&) const {}

  template <class ExecutionSpace, class Keys, class Key, class Prefix, class Weight,
            class Histogram>
  void operator()(const ExecutionSpace& space, const Keys&, const KeyDigit<Key>& digit,
                  const Prefix& prefix, const Weight& weight, const Histogram& histogram) const {
    using Kernel = WalkedHistogramTile<ExecutionSpace, Key, Prefix, Weight>;
    Kokkos::deep_copy(space, histogram, Count{0});
    const Count tiles = walked_tiles(walk.rows);
    if (tiles == 0) return;
    const Kernel kernel{
        walk, digit, prefix, weight, histogram.data(), static_cast<int>(histogram.extent(0))};
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for("copse::distributed::walked_histogram",
                           Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles),
                           WalkedHistogramTileOnHost<Kernel>{kernel});
    } else {
      typename Kernel::Policy policy(space, static_cast<int>(tiles), walk_threads);
      policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Bins::shmem_size(kernel.bins)));
      Kokkos::parallel_for("copse::distributed::walked_histogram", policy, kernel);
    }
  }
};

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
template <class ExecutionSpace, class LevelT, class Shared>
struct WalkedSummaryTile {
  using Key = typename LevelT::Key;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<walk_threads, 2>>;
  using Team = typename Policy::member_type;
  RowWalk walk;
  LevelT level;
  Shared summary;

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
    const Count first = static_cast<Count>(team.league_rank()) * tile_size + team.team_rank();
    std::int32_t node[walk_rows];
    Key key[walk_rows];
    walk.find(first, walk_threads, node);
    for (int r = 0; r < walk_rows; ++r) {
      const Count row = first + static_cast<Count>(r) * walk_threads;
      const WalkNode& at = walk.nodes[node[r]];
      key[r] = ordered_key(walk.value(at.axis, walk.clamped(row)));
      node[r] = row < walk.rows ? at.wanted : -1;
    }
    const int cells = static_cast<int>(level.active.extent(0));
    for (int s = 0; s < cells; ++s) {
      TileCount<Key> count;
      const Key threshold = level.threshold(s);
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
      std::int32_t node[1];
      walk.find(row, 1, node);
      const WalkNode& at = walk.nodes[node[0]];
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
  using Counters = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                                Kokkos::MemoryUnmanaged>;
  RowWalk walk;
  fused::TileCounts<MemorySpace> places;
  int levels;  ///< 2^levels = places.size

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const Counters counters(team.team_scratch(0), places.size);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t l = rank; l < places.size; l += walk_threads) counters(l) = 0;
    team.team_barrier();
    std::int32_t node[walk_rows];
    walk.find(tile.begin + rank, walk_threads, node);
    for (int r = 0; r < walk_rows; ++r) {
      const Count row = tile.begin + rank + static_cast<Count>(r) * walk_threads;
      const bool used = row < tile.end;
      const std::uint32_t place = walk.nodes[node[r]].number;
      const std::uint32_t same = packet_match(place, levels) & packet_ballot(used);
      if (!used) continue;
      places.leaf(row) = static_cast<std::uint8_t>(place);
      // The last of the packet's rows at a place counts for all.
      if (same >> (rank % packet_width) == 1)
        Kokkos::atomic_add(&counters(place), static_cast<std::uint32_t>(Kokkos::popcount(same)));
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
      std::int32_t node[1];
      walk.find(row, 1, node);
      const std::uint32_t place = walk.nodes[node[0]].number;
      places.leaf(row) = static_cast<std::uint8_t>(place);
      ++counters[place];
    }
    for (std::uint32_t l = 0; l < places.size; ++l)
      places.count(places.index(t, tile.segment, l)) = counters[l];
  }
};

/// begin(l) = first row of the frontier's cell l once the counts are scanned.
template <class MemorySpace>
struct ReadPlaces {
  fused::TileCounts<MemorySpace> places;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> begin;
  KOKKOS_FUNCTION void operator()(Count l) const {
    begin(l) = places.count(places.index(0, 0, static_cast<std::uint32_t>(l)));
  }
};

/// Launches a kernel of this file that has both versions.
template <class ExecutionSpace, class Kernel>
void for_each_tile(const std::string& label, const ExecutionSpace& space, Count tiles,
                   std::size_t scratch_bytes, const Kernel& kernel) {
  if (tiles == 0) return;
  if constexpr (runs_on_host<ExecutionSpace>) {
    (void)scratch_bytes;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles), kernel);
  } else {
    typename Kernel::Policy policy(space, static_cast<int>(tiles), walk_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes));
    Kokkos::parallel_for(label, policy, kernel);
  }
}

}  // namespace copse::detail
