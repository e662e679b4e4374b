#pragma once
/// \file
/// Passes over the rows of a level that is cut without moving them, beside the histograms that find
/// the cuts (walked_histogram.hpp): what lies on either side of the cuts where the histograms do
/// not say it, and at last the places of all rows in the order of the frontier's cells. Each walks
/// every row down from the root (tree/decision_tree.hpp).
///
/// Bytes per row: the coordinates on its way, each axis once (4 at the root, 8 a level below), and
/// once more its cell's if that is another one; its place is one byte more.

#include <copse/algorithms/detail/partition_kernels.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/domains/detail/distributed_level.hpp>
#include <copse/domains/detail/walked_histogram.hpp>
#include <copse/tree/decision_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace copse::detail {

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
  static constexpr int rows_of_thread = tile_size / decision_threads;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<decision_threads, 2>>;
  using Team = typename Policy::member_type;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  DecisionTree walk;
  LevelT level;
  Summary summary;

  std::size_t scratch_bytes() const { return Shared<TeamDecisionNode>::shmem_size(walk.size); }

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
    const Shared<TeamDecisionNode> nodes(team.team_scratch(0), walk.size);
    load_decisions(team, walk, nodes.data());
    const Count begin =
        static_cast<Count>(team.league_rank()) * tile_size + static_cast<Count>(team.team_rank());
    // A thread without rows looks at the last one, for the barriers to come.
    const Count base = begin < walk.rows ? begin : walk.rows - 1;
    const auto n = static_cast<std::uint32_t>(
        begin < walk.rows ? Kokkos::min<Count>(walk.rows - begin, tile_size) : 0);
    std::uint32_t offset[rows_of_thread];
    std::int32_t node[rows_of_thread];
    Key key[rows_of_thread];
    decision_offsets(n, offset);
    walk.find(nodes.data(), base, offset, node);
    COPSE_UNROLL
    for (int r = 0; r < rows_of_thread; ++r)
      key[r] = ordered_key(nodes(node[r]).column[base + offset[r]]);
    COPSE_UNROLL
    for (int r = 0; r < rows_of_thread; ++r)
      node[r] =
          static_cast<std::uint32_t>(r * decision_threads) < n ? walk.nodes[node[r]].wanted : -1;
    const int cells = static_cast<int>(level.active.extent(0));
    for (int s = 0; s < cells; ++s) {
      TileCount<Key> count;
      const Key threshold = level.threshold(s);
      COPSE_UNROLL
      for (int r = 0; r < rows_of_thread; ++r)
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
      const DecisionNode& at = walk.find(row);
      if (at.wanted < 0) continue;
      add(counts[static_cast<std::size_t>(at.wanted)], ordered_key(walk.value(at.axis, row)),
          level.threshold(at.wanted));
    }
    for (Count s = 0; s < level.active.extent(0); ++s) publish(s, counts[s]);
  }
};

}  // namespace copse::detail
