#pragma once
/// \file
/// The pass of the fused engine that reads every position: it sends each particle through its
/// segment's decision tree, counts the particles of each tile per leaf slot, and lists those inside
/// a bracket.
///
/// Work model per particle: 3 keys read (12 bytes for float); per level one node from scratch
/// memory and about eight integer operations; 16 bytes written for each particle inside, 1 for each
/// other; 4 per tile and leaf slot.

#include "cut_forest.hpp"
#include "device_nodes.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/scratch_atomic.hpp>
#include <copse/backend/unroll.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <array>

namespace copse::orb::fused {

/// Threads per team of the device kernels; the launch bounds request two teams per multiprocessor.
inline constexpr int sweep_threads = 512;
static_assert(sweep_threads >= 2 << most_levels);
using SweepBounds = Kokkos::LaunchBounds<sweep_threads, 2>;

template <class MemorySpace, class Forest>
struct SweepArguments {
  using Key = typename Forest::Key;
  const Real* column[3];
  Forest forest;
  MultiwayPlaces<MemorySpace> counts;
  InsideLists<MemorySpace, Key> lists;
  int steps = 0;             ///< levels with cuts or brackets
  bool places_rows = false;  ///< must particles get their leaf slots?
  int exact_levels = 0;      ///< levels at the top without brackets
  /// [segments] segments to sweep; the counts of the others are kept.
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> wanted;

  KOKKOS_FORCEINLINE_FUNCTION Key key(int axis, Count row) const {
    return ordered_key(column[axis][row]);
  }
};

/// Device version, one team per tile. The atomic counter gives each particle its position in the
/// tile's share of a list.
template <class ExecutionSpace, class Forest>
struct SweepTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace, SweepBounds>::member_type;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int rows = tile_size / sweep_threads;

  SweepArguments<MemorySpace, Forest> arg;

  std::size_t scratch_bytes() const {
    const std::uint32_t size = arg.forest.size;
    return Shared<Real>::shmem_size(size) + Shared<DeviceNode<Real>>::shmem_size(size) +
           Shared<std::uint32_t>::shmem_size(2 * size) + Shared<Count>::shmem_size(size);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = arg.counts.tiles.tile(t);
    if (tile.segment == Tile::none || !arg.wanted(tile.segment)) return;
    const std::uint32_t size = arg.forest.size;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    Shared<Real> low(team.team_scratch(0), size);
    Shared<DeviceNode<Real>> node(team.team_scratch(0), size);
    Shared<std::uint32_t> counters(team.team_scratch(0), 2 * size);
    Shared<Count> places(team.team_scratch(0), size);
    Real x[rows], y[rows], z[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + rank + static_cast<Count>(r) * sweep_threads;
      const Count row = i < tile.end ? i : tile.begin;
      x[r] = arg.column[0][row];
      y[r] = arg.column[1][row];
      z[r] = arg.column[2][row];
    }
    const Count first_node = static_cast<Count>(tile.segment) * size;
    load_node(&arg.forest.node(first_node), size, rank, low.data(), node.data());
    if (rank < 2 * size) counters(rank) = 0;
    team.team_barrier();

    const DeviceNodes<Real> nodes{low.data(), node.data()};
    std::uint32_t end[rows];  // where the particle ends: the node it is inside, or size + leaf slot
    std::uint32_t before[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) end[r] = 1;
    // Step all particles of a thread together so that their loads overlap.
    for (int level = 0; level < arg.exact_levels; ++level) {
      COPSE_UNROLL
      for (int r = 0; r < rows; ++r) end[r] = nodes.exact_step(end[r], x[r], y[r], z[r]);
    }
    for (int level = arg.exact_levels; level < arg.steps; ++level) {
      COPSE_UNROLL
      for (int r = 0; r < rows; ++r) end[r] = nodes.step(end[r], x[r], y[r], z[r]);
    }
    // On the remaining levels every node sends its particles left.
    const int levels_left = arg.forest.levels - arg.steps;
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r)
      if (end[r] >> arg.steps) end[r] <<= levels_left;
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (tile.begin + rank + static_cast<Count>(r) * sweep_threads < tile.end) {
        before[r] = scratch_fetch_add(&counters(end[r]), 1u);
      } else {
        end[r] = size;
      }
    }
    team.team_barrier();
    if (rank >= size && rank < 2 * size) {
      arg.counts.count(arg.counts.index(t, tile.segment, rank - size)) = counters(rank);
    } else if (rank < size && counters(rank) > 0) {
      places(rank) =
          Kokkos::atomic_fetch_add(&arg.lists.length(first_node + rank), Count{counters(rank)});
    }
    team.team_barrier();
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Count i = tile.begin + rank + static_cast<Count>(r) * sweep_threads;
      if (end[r] >= size) {
        if (arg.places_rows && i < tile.end)
          arg.counts.part(i) = static_cast<std::uint8_t>(end[r] - size);
        continue;
      }
      const Segment slots = arg.lists.slots(first_node + end[r]);
      const Count place = slots.begin + places(end[r]) + before[r];
      if (place < slots.end)
        arg.lists.store(place, ordered_key(x[r]), ordered_key(y[r]), ordered_key(z[r]), i);
    }
  }
};

/// Host version, one thread per tile.
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
    // Two sets of counters: neighbouring particles often end in the same slot, and the dependent
    // increments would cost more than the walk.
    std::array<std::uint32_t, 2 << most_levels> count[2] = {};
    std::uint8_t end[tile_size];
    static_assert((2 << most_levels) <= 256);
    for (int r = 0; r < n; ++r) {
      const Count i = tile.begin + r;
      const std::uint32_t e =
          walk(nodes, 1u, arg.forest.levels, arg.key(0, i), arg.key(1, i), arg.key(2, i));
      end[r] = static_cast<std::uint8_t>(e);
      ++count[r & 1][e];
      arg.counts.part(i) =
          static_cast<std::uint8_t>(e - size);  // particles inside a bracket are set later
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
      const Count i = tile.begin + r;
      if (end[r] >= size) continue;
      const Count to = place[end[r]]++;
      if (to < arg.lists.slots(first_node + end[r]).end)
        arg.lists.store(to, arg.key(0, i), arg.key(1, i), arg.key(2, i), i);
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

}  // namespace copse::orb::fused
