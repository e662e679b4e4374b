#pragma once
/// \file
/// The pass of the fused engine that reads every position: it sends each particle through its
/// segment's decision tree, counts the particles of each tile per leaf slot, and lists those inside
/// a bracket.
///
/// Work model per particle: 3 keys read (12 bytes for float); per level the ends of one bracket
/// from scratch memory and about five operations; 16 bytes written for each particle inside, 1 for
/// each other; 4 per tile and leaf slot.

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

/// Threads per team of the device kernel, which makes several turns over its tile: with more
/// threads the instructions that prepare a thread would be a third of all.
inline constexpr int sweep_threads = 256;
using SweepBounds = Kokkos::LaunchBounds<sweep_threads, 4>;

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

/// Device version, one team per tile.
///
/// Instructions bound this kernel, so it avoids them: all nodes of a level that are cut along one
/// axis, as most are, compare that coordinate without a selection; and particles inside brackets,
/// of which nearly every packet has one, are collected first and then listed by full packets.
template <class ExecutionSpace, class Forest>
struct SweepTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = typename Forest::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace, SweepBounds>::member_type;
  using Nodes = DeviceNodes<Real, most_levels>;
  static constexpr int rows = 8;  ///< per thread and turn
  static constexpr int turn = rows * sweep_threads;
  static constexpr int listed_at_once = tile_size / sweep_threads;
  static_assert(tile_size % turn == 0 && sweep_threads >= Nodes::most_ends);

  struct Memory {
    Nodes nodes;
    std::uint32_t axes[most_levels];        ///< bit a: a node of the level is cut along axis a
    std::uint32_t ended[Nodes::most_ends];  ///< particles per end
    std::uint32_t listed[Nodes::most_nodes];
    Count place[Nodes::most_nodes];  ///< of the tile's first particle in each list
    std::uint32_t collected;         ///< particles inside brackets
    std::uint32_t row_and_node[tile_size];
  };

  SweepArguments<MemorySpace, Forest> arg;

  static std::size_t scratch_bytes() { return sizeof(Memory) + alignof(Memory); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = arg.counts.tiles.tile(t);
    if (tile.segment == Tile::none || !arg.wanted(tile.segment)) return;
    Memory& memory = *static_cast<Memory*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Memory), alignof(Memory)));
    prepare(team, memory, tile.segment);
    // Nearly all tiles are whole; these need no check of every row.
    if (tile.end - tile.begin == tile_size) {
      for (int first = 0; first < tile_size; first += turn)
        sweep<true>(team, memory, tile, static_cast<std::uint32_t>(first));
    } else {
      for (int first = 0; first < tile_size; first += turn)
        sweep<false>(team, memory, tile, static_cast<std::uint32_t>(first));
    }
    team.team_barrier();
    list_inside(team, memory, tile);
    // On the levels without cuts or brackets every node sends its particles left.
    const auto slot = static_cast<std::uint32_t>(team.team_rank());
    if (slot >= arg.forest.size) return;
    const int levels_left = arg.forest.levels - arg.steps;
    const bool first_below = slot >> levels_left << levels_left == slot;
    arg.counts.count(arg.counts.index(t, tile.segment, slot)) =
        first_below ? memory.ended[(std::uint32_t{1} << arg.steps) + (slot >> levels_left)] : 0;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void prepare(const Team& team, Memory& memory,
                                           std::uint32_t segment) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    if (rank < most_levels) memory.axes[rank] = 0;
    if (rank < Nodes::most_ends) memory.ended[rank] = 0;
    if (rank < Nodes::most_nodes) memory.listed[rank] = 0;
    if (rank == 0) memory.collected = 0;
    team.team_barrier();
    if (rank > 0 && rank < arg.forest.size) {
      const CutNode<Key> node =
          arg.forest.node(static_cast<Count>(segment) * arg.forest.size + rank);
      memory.nodes.load(rank, node);
      if (node.low != CutNode<Key>::everything)
        Kokkos::atomic_or(&memory.axes[Forest::depth(rank)], std::uint32_t{1} << node.axis);
    } else if (rank >= sweep_threads - Nodes::most_nodes) {
      memory.nodes.load_inside(rank - (sweep_threads - Nodes::most_nodes));
    }
    team.team_barrier();
  }

  /// Sends the particles of a turn down, counts them and collects those inside brackets.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void sweep(const Team& team, Memory& memory, const Tile& tile,
                                         std::uint32_t first) const {
    const auto rank = first + static_cast<std::uint32_t>(team.team_rank());
    const auto n = static_cast<std::uint32_t>(tile.end - tile.begin);
    const Count begin = tile.begin + rank;
    const auto used = [&](int r) { return Whole || rank + r * sweep_threads < n; };
    Real x[rows], y[rows], z[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Count row = used(r) ? begin + r * sweep_threads : tile.begin;
      x[r] = arg.column[0][row];
      y[r] = arg.column[1][row];
      z[r] = arg.column[2][row];
    }
    // Where the particle ends: a node of level `steps`, or inside one above.
    std::uint32_t end[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) end[r] = 1;
    for (int level = 0; level < arg.steps; ++level) step(memory, level, x, y, z, end);
    if (arg.places_rows) {  // of those inside brackets the resolution does it
      const int levels_left = arg.forest.levels - arg.steps;
      std::uint8_t* const part = arg.counts.part.data() + begin;
      COPSE_UNROLL
      for (int r = 0; r < rows; ++r)
        if (used(r))
          part[r * sweep_threads] =
              static_cast<std::uint8_t>((end[r] << levels_left) - arg.forest.size);
    }
    std::uint32_t mine = 0;  // particles inside brackets
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (!used(r)) continue;
      scratch_add(&memory.ended[end[r]], 1u);
      mine += Nodes::is_inside(end[r]);
    }
    const std::uint32_t up_to = packet_inclusive_sum(mine);
    std::uint32_t place = 0;
    if (rank % packet_width == packet_width - 1 && up_to > 0)
      place = scratch_fetch_add(&memory.collected, up_to);
    place = packet_broadcast(place, packet_width - 1) + up_to - mine;
    if (mine == 0) return;
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r)
      if (used(r) && Nodes::is_inside(end[r]))
        memory.row_and_node[place++] =
            (rank + r * sweep_threads) * Nodes::most_nodes + Nodes::node_of(end[r]);
  }

  /// Sends the thread's particles down a level.
  KOKKOS_FORCEINLINE_FUNCTION void step(const Memory& memory, int level, const Real (&x)[rows],
                                        const Real (&y)[rows], const Real (&z)[rows],
                                        std::uint32_t (&end)[rows]) const {
    const std::uint32_t axes = memory.axes[level];
    const auto step_along = [&](const Real(&value)[rows]) {
      if (level < arg.exact_levels) {
        COPSE_UNROLL
        for (int r = 0; r < rows; ++r) end[r] = memory.nodes.exact_step(end[r], value[r]);
      } else {
        COPSE_UNROLL
        for (int r = 0; r < rows; ++r) end[r] = memory.nodes.step(end[r], value[r]);
      }
    };
    if ((axes & (axes - 1)) != 0) {
      Real value[rows];
      COPSE_UNROLL
      for (int r = 0; r < rows; ++r) {
        const std::int32_t axis = memory.nodes.axis[end[r]];
        value[r] = axis == 0 ? x[r] : axis == 1 ? y[r] : z[r];
      }
      step_along(value);
    } else if (axes == 4) {
      step_along(z);
    } else if (axes == 2) {
      step_along(y);
    } else {
      step_along(x);
    }
  }

  /// Lists the collected particles.
  KOKKOS_FORCEINLINE_FUNCTION void list_inside(const Team& team, Memory& memory,
                                               const Tile& tile) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const std::uint32_t collected = memory.collected;
    const Count first_node = static_cast<Count>(tile.segment) * arg.forest.size;
    std::uint32_t before[listed_at_once];
    COPSE_UNROLL
    for (int r = 0; r < listed_at_once; ++r) {
      const std::uint32_t e = rank + r * sweep_threads;
      if (e >= collected) break;
      before[r] = scratch_fetch_add(&memory.listed[memory.row_and_node[e] % Nodes::most_nodes], 1u);
    }
    team.team_barrier();
    if (rank < arg.forest.size && memory.listed[rank] > 0)
      memory.place[rank] = arg.lists.slots(first_node + rank).begin +
                           Kokkos::atomic_fetch_add(&arg.lists.length(first_node + rank),
                                                    Count{memory.listed[rank]});
    team.team_barrier();
    COPSE_UNROLL
    for (int r = 0; r < listed_at_once; ++r) {
      const std::uint32_t e = rank + r * sweep_threads;
      if (e >= collected) break;
      const std::uint32_t node = memory.row_and_node[e] % Nodes::most_nodes;
      const Count row = tile.begin + memory.row_and_node[e] / Nodes::most_nodes;
      const Count place = memory.place[node] + before[r];
      if (place < arg.lists.slots(first_node + node).end)
        arg.lists.store(place, arg.key(0, row), arg.key(1, row), arg.key(2, row), row);
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
    policy.set_scratch_size(0, Kokkos::PerTeam(SweepTile<ExecutionSpace, Forest>::scratch_bytes()));
    Kokkos::parallel_for("copse::fused::sweep", policy, kernel);
  }
}

}  // namespace copse::orb::fused
