#pragma once
/// \file
/// Kernels of segmented_partition; see segmented_partition.hpp for the method.

#include <copse/algorithms/detail/tile_tuning.hpp>
#include <copse/algorithms/partition_plan.hpp>
#include <copse/algorithms/split_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::detail {

template <class MemorySpace, class Key>
struct BeginPartition {
  PartitionPlan<MemorySpace, Key> plan;
  KOKKOS_FUNCTION void operator()(Count s) const {
    plan.summary(s) = {0, Key{0}, static_cast<Key>(~Key{0})};
  }
};

template <class MemorySpace, class Key>
struct SumLeft {
  PartitionPlan<MemorySpace, Key> plan;
  KOKKOS_FUNCTION void operator()(Count s) const {
    plan.summary(s).left =
        plan.left_before(plan.tiles.first_tile(s + 1)) - plan.left_before(plan.tiles.first_tile(s));
  }
};

/// Counts the left rows of a tile on a device: one team per tile; a thread loads all its keys
/// before it uses the first.
template <class ExecutionSpace, class Keys, class Key>
struct CountTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename CountTuning::Policy<ExecutionSpace>::member_type;
  static constexpr int threads = CountTuning::threads;
  static constexpr int rows = CountTuning::rows;

  Keys keys;
  PartitionPlan<MemorySpace, Key> plan;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = plan.tiles.tile(t);
    if (tile.segment == Tile::none) {
      Kokkos::single(Kokkos::PerTeam(team), [&]() { plan.left_before(t) = 0; });
      return;
    }
    const auto key = keys.segment(tile.segment);
    const Key threshold = plan.threshold(tile.segment);
    Key mine[rows];
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + team.team_rank() + static_cast<Count>(r) * threads;
      // A repeated last row changes neither extreme; the count below skips it.
      mine[r] = key(i < tile.end ? i : tile.end - 1);
    }
    TileCount<Key> count;
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + team.team_rank() + static_cast<Count>(r) * threads;
      const bool goes_left = mine[r] <= threshold;
      count.left += goes_left && i < tile.end;
      if (goes_left && mine[r] > count.left_max) count.left_max = mine[r];
      if (!goes_left && mine[r] < count.right_min) count.right_min = mine[r];
    }
    team.team_reduce(JoinTileCounts<Key>(count));
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      plan.left_before(t) = count.left;
      raise_max(&plan.summary(tile.segment).left_max, count.left_max);
      lower_min(&plan.summary(tile.segment).right_min, count.right_min);
    });
  }
};

/// Counts the left rows of a tile on a host: one thread per tile, vectorised loops.
template <class ExecutionSpace, class Keys, class Key>
struct CountTileOnHost {
  Keys keys;
  PartitionPlan<typename ExecutionSpace::memory_space, Key> plan;

  void operator()(Count t) const {
    const Tile tile = plan.tiles.tile(t);
    plan.left_before(t) = 0;
    if (tile.segment == Tile::none) return;
    const auto key = keys.segment(tile.segment);
    const int rows = static_cast<int>(tile.end - tile.begin);
    Key buffer[tile_size];
    for (int i = 0; i < rows; ++i) buffer[i] = key(tile.begin + i);
    RowMask<tile_size> unused{};
    const auto sides =
        compare_rows<Key, tile_size>(buffer, rows, plan.threshold(tile.segment), unused);
    plan.left_before(t) = sides.up_to;
    raise_max(&plan.summary(tile.segment).left_max, sides.left_max);
    lower_min(&plan.summary(tile.segment).right_min, sides.right_min);
  }
};

template <class ExecutionSpace, class Keys, class MemorySpace, class Key>
void launch_count(const ExecutionSpace& space, const Keys& keys,
                  const PartitionPlan<MemorySpace, Key>& plan) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::partition::count",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, plan.tiles.bound),
                         CountTileOnHost<ExecutionSpace, Keys, Key>{keys, plan});
  } else {
    using Kernel = CountTile<ExecutionSpace, Keys, Key>;
    Kokkos::parallel_for("copse::partition::count",
                         CountTuning::Policy<ExecutionSpace>(
                             space, static_cast<int>(plan.tiles.bound), Kernel::threads),
                         Kernel{keys, plan});
  }
}

/// Moves one tile on a device.
///
/// Each warp owns a run of consecutive rows of the tile and processes 32 at a time. The ballot of
/// "goes left" and two population counts give every lane its position among the left and right rows
/// of the warp, and a warp writes two contiguous runs. Only the totals of the warps go through
/// scratch.
template <class ExecutionSpace, class Keys, class Key, class Set>
struct MoveTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename MoveTuning::Policy<ExecutionSpace>::member_type;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  using Totals = Kokkos::View<std::uint32_t*, Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr int threads = MoveTuning::threads;
  static constexpr int warps = threads / packet_width;
  static constexpr int rounds = MoveTuning::rows;

  Keys keys;
  PartitionPlan<MemorySpace, Key> plan;
  Set columns;

  static std::size_t scratch_bytes() { return Totals::shmem_size(warps); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = plan.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const int rows = static_cast<int>(tile.end - tile.begin);
    const int used = (rows + threads - 1) / threads;  // rounds for this tile
    const int warp = team.team_rank() / packet_width;
    const int lane = team.team_rank() % packet_width;
    const int first = warp * used * packet_width + lane;

    const auto key = keys.segment(tile.segment);
    const Key threshold = plan.threshold(tile.segment);
    Key mine[rounds];
    for (int r = 0; r < rounds; ++r) {
      const int i = first + r * packet_width;
      mine[r] = r < used && i < rows ? key(tile.begin + i) : Key{0};
    }
    std::uint32_t mask[rounds];
    std::uint32_t total = 0;
    for (int r = 0; r < rounds; ++r) {
      const int i = first + r * packet_width;
      mask[r] = packet_ballot(r < used && i < rows && mine[r] <= threshold);
      total += Kokkos::popcount(mask[r]);
    }
    Totals totals(team.team_scratch(0), warps);
    if (lane == 0) totals(warp) = total;
    team.team_barrier();
    std::uint32_t before = 0;
    for (int w = 0; w < warp; ++w) before += totals(w);

    const auto target = plan.target(t, tile);
    const std::uint32_t lanes_below = (std::uint32_t{1} << lane) - 1;
    LocalIndex to[rounds];
    for (int r = 0; r < rounds; ++r) {
      const std::uint32_t rank = before + Kokkos::popcount(mask[r] & lanes_below);
      const int i = first + r * packet_width;
      to[r] = static_cast<LocalIndex>((mask[r] >> lane) & 1 ? target.left + rank
                                                            : target.right + (i - rank));
      before += Kokkos::popcount(mask[r]);
    }
    columns.for_each([&]<class T>(const T* from_column, T* to_column) {
      T value[rounds];
      for (int r = 0; r < rounds; ++r) {
        const int i = first + r * packet_width;
        if (r < used && i < rows) value[r] = from_column[tile.begin + i];
      }
      for (int r = 0; r < rounds; ++r) {
        const int i = first + r * packet_width;
        if (r < used && i < rows) to_column[to[r]] = value[r];
      }
    });
  }
};

/// Moves one tile on a host: a bit mask holds the side of each row, then each column is split in
/// two. Each loop has one input and two output streams, and no branch depends on a key.
template <class ExecutionSpace, class Keys, class Key, class Set>
struct MoveTileOnHost {
  Keys keys;
  PartitionPlan<typename ExecutionSpace::memory_space, Key> plan;
  Set columns;

  void operator()(Count t) const {
    const Tile tile = plan.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    const auto key = keys.segment(tile.segment);
    const auto target = plan.target(t, tile);
    const int rows = static_cast<int>(tile.end - tile.begin);
    Key buffer[tile_size];
    for (int i = 0; i < rows; ++i) buffer[i] = key(tile.begin + i);
    RowMask<tile_size> goes_left{};
    const int lefts =
        compare_rows<Key, tile_size>(buffer, rows, plan.threshold(tile.segment), goes_left).up_to;
    columns.for_each_on_host([&]<class T>(const T* from_column, T* to_column) {
      split_rows<T, tile_size, true>(from_column + tile.begin, rows, goes_left, lefts,
                                     to_column + target.left, to_column + target.right);
    });
  }
};

template <class ExecutionSpace, class Keys, class MemorySpace, class Key, class Set>
void launch_move(const ExecutionSpace& space, const Keys& keys,
                 const PartitionPlan<MemorySpace, Key>& plan, const Set& columns) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for("copse::partition::move",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, plan.tiles.bound),
                         MoveTileOnHost<ExecutionSpace, Keys, Key, Set>{keys, plan, columns});
  } else {
    using Kernel = MoveTile<ExecutionSpace, Keys, Key, Set>;
    MoveTuning::Policy<ExecutionSpace> policy(space, static_cast<int>(plan.tiles.bound),
                                              Kernel::threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
    Kokkos::parallel_for("copse::partition::move", policy, Kernel{keys, plan, columns});
  }
}

}  // namespace copse::detail
