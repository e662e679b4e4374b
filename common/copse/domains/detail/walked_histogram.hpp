#pragma once
/// \file
/// Histograms of the keys of cells that are cut without moving their rows: every row is walked down
/// from the root (tree/decision_tree.hpp), and counts in its cell's bins if that is one to be cut.
///
/// Bytes per row: the coordinates on its way, each axis once (4 at the root, 8 a level below), and
/// once more its cell's if that is another one.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/tree/decision_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace copse::detail {

/// Most bins over all cells of a level: 32 KiB of sums in scratch memory.
template <class Weight>
inline constexpr int walked_bins_bits = sizeof(typename Weight::TileSum) == 4 ? 13 : 12;

inline Count walked_tiles(Count rows) {
  return (rows + tile_size - 1) / tile_size;
}

/// Tiles that one team counts: several, so that clearing its bins and adding them to the cells' is
/// little beside them, but as long as there are tiles for that many teams. Sums stay below 2^32.
inline Count walked_tiles_of_team(Count tiles) {
  constexpr Count enough_teams = 4096;
  constexpr Count most_tiles = 16;
  return std::clamp<Count>(tiles / enough_teams, 1, most_tiles);
}

/// Device version, one team several tiles.
template <class ExecutionSpace, class Key, class Prefix, class Weight>
struct WalkedHistogramTiles {
  using Sum = typename Weight::TileSum;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<decision_threads, 4>>;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  template <class T>
  using Shared = Kokkos::View<T*, Scratch, Kokkos::MemoryUnmanaged>;

  /// What is wanted of the rows of a node of the frontier.
  struct alignas(2 * sizeof(Key)) WantedBins {
    Key prefix;
    std::int32_t first;  ///< bin; -1: none
  };
  /// Rows a thread loads before it counts any. (An atomic after each load would leave one load a
  /// thread under way, and memory idle for most of the time.)
  static constexpr int batch = 8;

  DecisionTree walk;
  KeyDigit<Key> digit;
  Prefix prefix;
  Weight weight;
  Count* histogram;
  int bins;
  Count rows_of_team;

  std::size_t scratch_bytes() const {
    return Shared<Sum>::shmem_size(bins) + Shared<TeamDecisionNode>::shmem_size(walk.size) +
           Shared<WantedBins>::shmem_size(walk.size);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.team_rank();
    const Shared<TeamDecisionNode> nodes(team.team_scratch(0), walk.size);
    const Shared<WantedBins> wanted(team.team_scratch(0), walk.size);
    const Shared<Sum> sums(team.team_scratch(0), bins);
    for (int b = rank; b < bins; b += decision_threads) sums(b) = 0;
    for (std::int32_t k = rank; k < walk.size; k += decision_threads) {
      nodes(k) = walk.team_node(k);
      const std::int32_t cell = walk.nodes[k].wanted;
      wanted(k) = cell < 0 ? WantedBins{Key{0}, -1} : WantedBins{prefix(cell), cell << digit.bits};
    }
    team.team_barrier();
    // At the root there is nothing to walk, and one node for all rows.
    if (walk.depth == 0) {
      count<true>(team, nodes.data(), wanted.data(), sums.data());
    } else {
      count<false>(team, nodes.data(), wanted.data(), sums.data());
    }
    team.team_barrier();
    for (int b = rank; b < bins; b += decision_threads)
      if (sums(b) > 0) Kokkos::atomic_add(histogram + b, Count{sums(b)});
  }

 private:
  template <bool AtRoot, class Team>
  KOKKOS_FORCEINLINE_FUNCTION void count(const Team& team, const TeamDecisionNode* nodes,
                                         const WantedBins* wanted, Sum* sums) const {
    const Count first = static_cast<Count>(team.league_rank()) * rows_of_team;
    const Count end = first + rows_of_team < walk.rows ? first + rows_of_team : walk.rows;
    const Key of_prefix = digit.prefix_mask();
    for (Count begin = first + static_cast<Count>(team.team_rank()); begin < end;
         begin += batch * decision_threads) {
      const auto n = static_cast<std::uint32_t>(end - begin);
      std::uint32_t offset[batch];
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const auto wide = static_cast<std::uint32_t>(r * decision_threads);
        offset[r] = wide < n ? wide : 0;
      }
      std::int32_t node[batch];
      if constexpr (AtRoot) {
        COPSE_UNROLL
        for (int r = 0; r < batch; ++r) node[r] = 0;
      } else {
        walk.find(nodes, begin, offset, node);
      }
      Key key[batch];
      std::int32_t bin[batch];
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r)
        key[r] = ordered_key(nodes[node[r]].column[begin + offset[r]]);
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r) {
        const WantedBins at = wanted[node[r]];
        // No branch: a row as such is done in a few instructions.
        const bool counts = (static_cast<std::uint32_t>(r * decision_threads) < n) &
                            (at.first >= 0) & (((key[r] ^ at.prefix) & of_prefix) == 0);
        bin[r] = counts ? at.first + static_cast<std::int32_t>(digit.value(key[r])) : -1;
      }
      COPSE_UNROLL
      for (int r = 0; r < batch; ++r)
        if (bin[r] >= 0) scratch_add(sums + bin[r], Sum{weight(begin + offset[r])});
    }
  }
};

/// Host version, one thread a tile.
template <class Key, class Prefix, class Weight>
struct WalkedHistogramTileOnHost {
  DecisionTree walk;
  KeyDigit<Key> digit;
  Prefix prefix;
  Weight weight;
  Count* histogram;
  int bins;

  void operator()(Count t) const {
    std::array<typename Weight::TileSum, std::size_t{1} << walked_bins_bits<Weight>> sums;
    for (int b = 0; b < bins; ++b) sums[b] = 0;
    const Count end = std::min(walk.rows, (t + 1) * tile_size);
    for (Count row = t * tile_size; row < end; ++row) {
      const DecisionNode& at = walk.find(row);
      if (at.wanted < 0) continue;
      const Key key = ordered_key(walk.value(at.axis, row));
      if (digit.agrees(key, prefix(at.wanted)))
        sums[(static_cast<std::uint32_t>(at.wanted) << digit.bits) + digit.value(key)] +=
            weight(row);
    }
    for (int b = 0; b < bins; ++b)
      if (sums[b] > 0) Kokkos::atomic_add(histogram + b, Count{sums[b]});
  }
};

/// What HistogramCuts counts with; `walk` is set before each level. `Weight` is that of the search,
/// which also counts rows.
template <class Weight>
struct CountByWalking {
  DecisionTree walk = {};

  static constexpr int bits(Count cells, int key_bits) {
    const int most =
        walked_bins_bits<Weight> - static_cast<int>(std::bit_width(std::max<Count>(cells, 1) - 1));
    const int limit = std::min(most, max_histogram_bits);
    const int digits = (key_bits + limit - 1) / limit;
    return (key_bits + digits - 1) / digits;
  }
  template <class ExecutionSpace, class LevelT, class MemorySpace>
  void begin(const ExecutionSpace&, const LevelT&, Workspace<MemorySpace>&) const {}

  template <class ExecutionSpace, class Keys, class Key, class Prefix, class Counted,
            class Histogram>
  void operator()(const ExecutionSpace& space, const Keys&, const KeyDigit<Key>& digit,
                  const Prefix& prefix, const Counted& weight, const Histogram& histogram) const {
    Kokkos::deep_copy(space, histogram, Count{0});
    const Count tiles = walked_tiles(walk.rows);
    if (tiles == 0) return;
    const int bins = static_cast<int>(histogram.extent(0));
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for("copse::distributed::walked_histogram",
                           Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles),
                           WalkedHistogramTileOnHost<Key, Prefix, Counted>{
                               walk, digit, prefix, weight, histogram.data(), bins});
    } else {
      using Kernel = WalkedHistogramTiles<ExecutionSpace, Key, Prefix, Counted>;
      const Count of_team = walked_tiles_of_team(tiles);
      const Kernel kernel{walk, digit, prefix, weight, histogram.data(), bins, of_team * tile_size};
      typename Kernel::Policy policy(space, static_cast<int>((tiles + of_team - 1) / of_team),
                                     decision_threads);
      policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
      Kokkos::parallel_for("copse::distributed::walked_histogram", policy, kernel);
    }
  }
};

}  // namespace copse::detail
