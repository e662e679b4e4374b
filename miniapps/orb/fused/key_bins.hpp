#pragma once
/// \file
/// Searches for keys of given rank in many nodes at once: in the samples of a round, for brackets,
/// and in the lists of a sweep, for exact cuts.
///
/// A search knows the smallest and the largest key that its answer can have. A pass counts the
/// node's keys between them in up to 2^11 bins of equally many possible keys; then a team per node
/// picks the bins of the wanted ranks, and the range shrinks to them. Three passes determine a
/// 32-bit key, whatever the keys are. The number of passes does not depend on the keys, so no pass
/// waits for the host; nodes whose search has ended skip the remaining passes.
///
/// Unlike the digits of segmented_histogram.hpp the bins begin at the smallest key of the range.
/// Most keys of a narrow bracket share their first digit: two bins would count them all.
///
/// Bytes per key and pass: the key, once.

#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::orb::fused {

/// Most bins of all nodes together, 32 MiB.
inline constexpr Count most_key_bins = Count{1} << 23;

/// Bits of a pass over that many nodes: at least 4, at most 11.
constexpr int key_bin_bits(Count nodes) {
  int bits = 11;
  while (bits > 4 && nodes << bits > most_key_bins) --bits;
  return bits;
}

/// Passes that determine a key among that many nodes.
template <class Key>
constexpr int passes_for_exact_key(Count nodes) {
  const int bits = key_bin_bits(nodes);
  return (8 * static_cast<int>(sizeof(Key)) + bits - 1) / bits;
}

/// The keys that the next pass counts in a node.
template <class Key>
struct KeyRange {
  Key first = 0;
  Key last = 0;
  Count below = 0;        ///< keys of the node that are smaller than `first`
  bool searched = false;  ///< false: the pass skips the node

  /// Bin b has the keys from first + (b << shift).
  KOKKOS_FUNCTION int shift(int bits) const {
    const int width = static_cast<int>(Kokkos::bit_width(static_cast<Key>(last - first)));
    return width > bits ? width - bits : 0;
  }
  KOKKOS_FUNCTION Key first_of(int bin, int bits) const {
    return static_cast<Key>(first + (static_cast<Key>(bin) << shift(bits)));
  }
  KOKKOS_FUNCTION Key last_of(int bin, int bits) const {
    const Key width = static_cast<Key>((Key{1} << shift(bits)) - 1);
    const Key end = static_cast<Key>(first_of(bin, bits) + width);
    return end < first || end > last ? last : end;
  }
};

/// Ranges and bins of all nodes. The bins are zero between passes.
template <class MemorySpace, class Key>
struct KeyBins {
  Kokkos::View<KeyRange<Key>*, Kokkos::LayoutLeft, MemorySpace> range;  ///< [nodes]
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> count;  ///< [nodes << bits]
  int bits = 0;

  static constexpr Count workspace_bytes(Count nodes) {
    return nodes * sizeof(KeyRange<Key>) + (nodes << key_bin_bits(nodes)) * sizeof(std::uint32_t);
  }
  KOKKOS_FUNCTION std::uint32_t* of_node(Count k) const { return count.data() + (k << bits); }
};

template <class Key, class ExecutionSpace, class MemorySpace>
KeyBins<MemorySpace, Key> make_key_bins(const ExecutionSpace& space, Count nodes,
                                        Workspace<MemorySpace>& workspace) {
  KeyBins<MemorySpace, Key> bins;
  bins.bits = key_bin_bits(nodes);
  bins.range = workspace.template get<KeyRange<Key>>("fused::key_range", nodes);
  bins.count = workspace.template get<std::uint32_t>("fused::key_bins", nodes << bins.bits);
  Kokkos::deep_copy(space, bins.count, std::uint32_t{0});
  return bins;
}

/// Counts the keys of a run of tiles; a team adds its sums to a node's bins once for all tiles of
/// the node in its run.
template <class ExecutionSpace, class Keys, class Key>
struct CountKeys {
  using MemorySpace = typename ExecutionSpace::memory_space;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 512;
  static constexpr int batch = runs_on_host<ExecutionSpace> ? 1 : tile_size / threads;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 2>>;
  using Team = typename Policy::member_type;
  using Sums = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                            Kokkos::MemoryUnmanaged>;
  Keys keys;
  TileTable<MemorySpace> tiles;
  KeyBins<MemorySpace, Key> bins;
  Count tiles_of_team;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int width = 1 << bins.bits;
    const Sums sums(team.team_scratch(0), width);
    for (int b = team.team_rank(); b < width; b += threads) sums(b) = 0;
    team.team_barrier();
    Count t = static_cast<Count>(team.league_rank()) * tiles_of_team;
    const Count end = t + tiles_of_team < tiles.bound ? t + tiles_of_team : tiles.bound;
    std::uint32_t counted = Tile::none;
    for (; t < end; ++t) {
      const Tile tile = tiles.tile(t);
      if (tile.segment == Tile::none) break;
      const KeyRange<Key> range = bins.range(tile.segment);
      if (!range.searched || tile.begin >= tile.end) continue;
      if (counted != tile.segment && counted != Tile::none) add(team, sums, counted);
      counted = tile.segment;
      count(team, sums, tile, range);
    }
    if (counted != Tile::none) add(team, sums, counted);
  }

 private:
  KOKKOS_FUNCTION void count(const Team& team, const Sums& sums, const Tile& tile,
                             const KeyRange<Key>& range) const {
    const auto key_of = keys.segment(tile.segment);
    const int shift = range.shift(bins.bits);
    const Key size = static_cast<Key>(range.last - range.first);
    const auto n = static_cast<std::uint32_t>(tile.end - tile.begin);
    for (auto begin = static_cast<std::uint32_t>(team.team_rank()); begin < n;
         begin += batch * threads) {
      Key key[batch];
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const std::uint32_t i = begin + r * threads;
        key[r] = key_of(tile.begin + (i < n ? i : begin));
      }
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const Key above = static_cast<Key>(key[r] - range.first);
        if (begin + r * threads < n && above <= size) scratch_add(&sums(above >> shift), 1u);
      }
    }
  }

  /// Adds the sums to the node's bins and clears them.
  KOKKOS_FUNCTION void add(const Team& team, const Sums& sums, std::uint32_t node) const {
    team.team_barrier();
    std::uint32_t* const total = bins.of_node(node);
    for (int b = team.team_rank(); b < 1 << bins.bits; b += threads) {
      if (sums(b) == 0) continue;
      Kokkos::atomic_add(total + b, sums(b));
      sums(b) = 0;
    }
    team.team_barrier();
  }
};

/// Counts the keys of all nodes whose `range` says so. `keys.segment(k)(row)` is the key of a row
/// of node k; `tiles` are those of the nodes' rows.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key>
void count_keys(const ExecutionSpace& space, const Keys& keys, const TileTable<MemorySpace>& tiles,
                const KeyBins<MemorySpace, Key>& bins) {
  using Kernel = CountKeys<ExecutionSpace, Keys, Key>;
  if (tiles.bound == 0) return;
  // Enough teams to occupy a device several times over.
  const Count enough = 2 * static_cast<Count>(space.concurrency()) / Kernel::threads;
  const Kernel kernel{keys, tiles, bins, detail::tiles_counted_together(tiles.bound, enough)};
  const Count teams = (tiles.bound + kernel.tiles_of_team - 1) / kernel.tiles_of_team;
  typename Kernel::Policy policy(space, static_cast<int>(teams), Kernel::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Sums::shmem_size(1 << bins.bits)));
  Kokkos::parallel_for("copse::fused::count_keys", policy, kernel);
}

/// Where a rank is among a node's bins.
struct FoundBin {
  int bin;
  Count below;  ///< keys in the bins before it
  Count inside;
};

/// Picks bins by rank, a team per node.
template <class ExecutionSpace, int Ranks>
struct PickBins {
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 128;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 8>>;
  using Team = typename Policy::member_type;
  using Found = Kokkos::View<FoundBin*, typename ExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryUnmanaged>;

  static std::size_t scratch_bytes() { return Found::shmem_size(Ranks); }

  /// Finds the bin of each 1-based rank among the counted keys: the first bin for rank 0, the last
  /// for a rank beyond all keys. Clears the bins. Every thread of the team gets the result.
  KOKKOS_FUNCTION static Found pick(const Team& team, std::uint32_t* count, int bins,
                                    const Kokkos::Array<Count, Ranks>& rank) {
    const Found found(team.team_scratch(0), Ranks);
    // Each thread sums consecutive bins, so that one scan of the team is enough.
    const int each = (bins + threads - 1) / threads;
    const int begin = Kokkos::min(team.team_rank() * each, bins);
    const int end = Kokkos::min(begin + each, bins);
    std::uint32_t mine = 0;
    for (int b = begin; b < end; ++b) mine += count[b];
    const std::uint32_t before = team.team_scan(mine);
    for (int q = 0; q < Ranks; ++q) {
      if (rank[q] == 0 && begin == 0) found(q) = {0, 0, count[0]};
      if (end == bins && begin < bins && rank[q] > before + mine)
        found(q) = {bins - 1, before + mine - count[bins - 1], count[bins - 1]};
      if (rank[q] <= before || rank[q] > before + mine) continue;
      int b = begin;
      std::uint32_t sum = before;
      while (sum + count[b] < rank[q]) sum += count[b++];
      found(q) = {b, sum, count[b]};
    }
    for (int b = begin; b < end; ++b) count[b] = 0;
    team.team_barrier();
    return found;
  }
};

}  // namespace copse::orb::fused
