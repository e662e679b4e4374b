#pragma once
/// \file
/// Passes over the particles of cells that are cut in place: histograms of the keys, and summaries
/// of both sides of the cuts. Every particle descends the decision tree from the root
/// (tree/decision_tree.hpp) and is counted in its cell if that cell is to be cut.
///
/// Bytes per particle: the coordinates on its path, each axis once (4 at the root, 8 one level
/// below), and the key's coordinate if its axis is not on the path.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/partition_plan.hpp>
#include <copse/algorithms/segmented_histogram.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/decision_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// Maximum number of bins over all cells of a level: 32 KiB of scratch memory (unmoved_digit_bits).
template <class Weight>
inline constexpr int most_sums = (32 << 10) / static_cast<int>(sizeof(typename Weight::TileSum));

inline Count walked_tiles(Count rows) {
  return (rows + tile_size - 1) / tile_size;
}

/// One team per several tiles.
template <class ExecutionSpace, class Key, class Prefix, class Weight>
struct WalkedHistogramTiles {
  using Sum = typename Weight::TileSum;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<decision_threads, 4>>;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  template <class T>
  using Shared = Kokkos::View<T*, Scratch, Kokkos::MemoryUnmanaged>;

  /// The bins of a frontier node.
  struct alignas(2 * sizeof(Key)) WantedBins {
    Key prefix;
    std::int32_t first;  ///< bin; -1: none
  };
  /// Particles a thread loads before it counts any, to have as many loads in flight.
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
    // At the root all particles share one node.
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
      decision_offsets(n, offset);
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
        // Branch-free: the work per particle is only a few instructions.
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

/// The `Counting` of HistogramCuts for cells cut in place; `walk` is set before each level.
/// `Weight` is that of the search, which also counts particles.
template <class Weight>
struct CountByWalking {
  DecisionTree walk = {};

  static constexpr int bits(Count cells, int key_bits) {
    return unmoved_digit_bits(cells, key_bits, most_sums<Weight> < 1 << 13);
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
    constexpr Count enough_teams = 4096;
    const Count of_team = tiles_counted_together(tiles, enough_teams);
    const Count teams = (tiles + of_team - 1) / of_team;
    using Kernel = WalkedHistogramTiles<ExecutionSpace, Key, Prefix, Counted>;
    const Kernel kernel{walk, digit, prefix, weight, histogram.data(), bins, of_team * tile_size};
    typename Kernel::Policy policy(space, static_cast<int>(teams), decision_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for("copse::distributed::walked_histogram", policy, kernel);
  }
};

/// Summarises both sides of the cuts of a level in one pass; each thread holds the sums of all
/// cells.
template <class LevelT>
struct CountSides {
  using Key = typename LevelT::Key;
  using value_type = PartitionSummary<Key>[];
  using size_type = unsigned;
  size_type value_count;  ///< cells
  DecisionTree tree;
  typename LevelT::template Array<Key> threshold;

  KOKKOS_FUNCTION void operator()(Count row, value_type sides) const {
    const DecisionNode& at = tree.find(row);
    if (at.wanted < 0) return;
    PartitionSummary<Key>& side = sides[at.wanted];
    const Key key = ordered_key(tree.value(at.axis, row));
    if (key <= threshold(at.wanted)) {
      ++side.left;
      if (key > side.left_max) side.left_max = key;
    } else if (key < side.right_min) {
      side.right_min = key;
    }
  }
  KOKKOS_FUNCTION void init(value_type sides) const {
    for (size_type s = 0; s < value_count; ++s) sides[s] = {0, 0, static_cast<Key>(~Key{0})};
  }
  KOKKOS_FUNCTION void join(value_type to, const value_type from) const {
    for (size_type s = 0; s < value_count; ++s) {
      to[s].left += from[s].left;
      if (from[s].left_max > to[s].left_max) to[s].left_max = from[s].left_max;
      if (from[s].right_min < to[s].right_min) to[s].right_min = from[s].right_min;
    }
  }
};

}  // namespace copse::detail
