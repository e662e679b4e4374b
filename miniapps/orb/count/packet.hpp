#pragma once
/// \file
/// Count left in registers (seed 000 section 6.6, "warp level primitives").
///
/// The thesis' third kernel was no faster than its second, because what limits both is the number
/// of bytes a thread has in flight, not how the sums are added up: its loop loads 4 bytes, waits,
/// and adds. Here a thread loads `loads` times 16 bytes before it uses the first, then counts in a
/// register; a packet adds its lanes without scratch memory, a team its packets with it, and one
/// thread adds to the cell's count. A block is looked up by one load, not by a chain through tiles
/// and segments: what a block waits for before its keys are under way is the price of each.
///
/// On a host a block is one thread's, and its loop vectorises. (Compares and adds of 32-bit lanes;
/// a 64-bit counter in the loop would halve the width.)

#include "batched.hpp"
#include "cut_trials.hpp"
#include "quad.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

/// Rows of a block and the cell they belong to, ready for use.
struct CountBlock {
  const Real* keys = nullptr;
  std::uint32_t size = 0;  ///< 0: nothing to do
  std::uint32_t cell = 0;
};

template <class MemorySpace>
struct FillCountBlocks {
  CutTrials<MemorySpace> trials;
  TileTable<MemorySpace> tiles;
  Kokkos::View<CountBlock*, Kokkos::LayoutLeft, MemorySpace> blocks;

  KOKKOS_FUNCTION void operator()(Count t) const {
    const Tile tile = tiles.tile(t);
    CountBlock block;
    if (tile.segment != Tile::none && trials.is_open(tile.segment)) {
      block.keys = trials.column(tile.segment).keys + tile.begin;
      block.size = static_cast<std::uint32_t>(tile.end - tile.begin);
      block.cell = tile.segment;
    }
    blocks(t) = block;
  }
};

/// How a device reads a block: quads a thread loads before it uses the first, threads of a team.
/// With floats a multiprocessor of 16 teams has 256 KiB under way, several times what the latency
/// of its memory asks for.
struct PacketShape {
  static constexpr int loads = 8;
  static constexpr int threads = tile_size / quad_keys / loads;
  static constexpr int packets = threads / packet_width;
  static constexpr int teams = 1024 / threads;  ///< at least, on a multiprocessor
};

/// Device version: one team a block.
template <class ExecutionSpace>
struct CountBlockByPackets {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace,
                                    Kokkos::LaunchBounds<PacketShape::threads, PacketShape::teams>>;
  using Team = typename Policy::member_type;
  CutTrials<MemorySpace> trials;
  Kokkos::View<CountBlock*, Kokkos::LayoutLeft, MemorySpace> blocks;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const CountBlock block = blocks(team.league_rank());
    if (block.size == 0) return;
    const Real cut = trials.cut(block.cell);
    if (cut != cut) return;
    const int size = static_cast<int>(block.size);
    const int offset = keys_after_boundary(block.keys);
    std::uint32_t left = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, packet_width),
        [&](int lane, std::uint32_t& sum) {
          const int me = team.team_rank() * packet_width + lane;
          // No key is <= of what is not a number: fills are never counted.
          constexpr Real fill = Kokkos::Experimental::quiet_NaN_v<Real>;
          Quad quad[PacketShape::loads];
          quad[0] = load_quad(block.keys, size, offset, me, fill);
          if (size == tile_size) {
            // All quads of a full block but the first and the one past the loop are whole.
            const Quad* whole = reinterpret_cast<const Quad*>(block.keys - offset);
            for (int l = 1; l < PacketShape::loads; ++l)
              quad[l] = whole[l * PacketShape::threads + me];
          } else {
            for (int l = 1; l < PacketShape::loads; ++l)
              quad[l] = load_quad(block.keys, size, offset, l * PacketShape::threads + me, fill);
          }
          for (int l = 0; l < PacketShape::loads; ++l)
            for (int k = 0; k < quad_keys; ++k) sum += quad[l].key[k] <= cut;
          // The last quad of a full block that begins between two boundaries.
          if (me == 0 && offset > 0) {
            const Quad last = load_quad(block.keys, size, offset,
                                        PacketShape::loads * PacketShape::threads, fill);
            for (int k = 0; k < quad_keys; ++k) sum += last.key[k] <= cut;
          }
        },
        left);
    team.team_reduce(Kokkos::Sum<std::uint32_t>(left));
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      if (left > 0) Kokkos::atomic_add(&trials.left(block.cell), Count{left});
    });
  }
};

/// Host version: one thread a block.
template <class ExecutionSpace>
struct CountBlockOnHost {
  using MemorySpace = typename ExecutionSpace::memory_space;
  CutTrials<MemorySpace> trials;
  Kokkos::View<CountBlock*, Kokkos::LayoutLeft, MemorySpace> blocks;

  void operator()(Count b) const {
    const CountBlock block = blocks(b);
    if (block.size == 0 || !trials.is_open(block.cell)) return;
    const Real cut = trials.cut(block.cell);
    std::uint32_t left = 0;
    for (std::uint32_t i = 0; i < block.size; ++i) left += block.keys[i] <= cut;
    if (left > 0) Kokkos::atomic_add(&trials.left(block.cell), Count{left});
  }
};

template <class ExecutionSpace>
class CountByPackets {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  void prepare(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials,
               Workspace<MemorySpace>& workspace) {
    const auto tiles = make_tiles(space, trials.segments, trials.rows, trials.segments.extent(0),
                                  workspace, "count_packet", OpenTrial<MemorySpace>{trials});
    blocks_ = workspace.template get<CountBlock>("count_packet::blocks", tiles.bound);
    Kokkos::parallel_for("copse::orb::count_blocks",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles.bound),
                         FillCountBlocks<MemorySpace>{trials, tiles, blocks_});
  }

  /// \return kernels launched
  Count run(const ExecutionSpace& space, const CutTrials<MemorySpace>& trials) {
    if constexpr (runs_on_host<ExecutionSpace>) {
      Kokkos::parallel_for("copse::orb::count_packet",
                           Kokkos::RangePolicy<ExecutionSpace>(space, 0, blocks_.extent(0)),
                           CountBlockOnHost<ExecutionSpace>{trials, blocks_});
    } else {
      using Kernel = CountBlockByPackets<ExecutionSpace>;
      Kokkos::parallel_for("copse::orb::count_packet",
                           typename Kernel::Policy(space, static_cast<int>(blocks_.extent(0)),
                                                   PacketShape::packets, packet_width),
                           Kernel{trials, blocks_});
    }
    return 1;
  }

 private:
  Kokkos::View<CountBlock*, Kokkos::LayoutLeft, MemorySpace> blocks_;
};

}  // namespace copse::orb
