#pragma once
/// \file
/// Count left in registers ([Rehmann 2022] section 6.6, "warp level primitives").
///
/// The thesis' third kernel was no faster than its second, because both are limited by the bytes in
/// flight per thread, not by the summation: their loop loads 4 bytes, waits, and adds. Here a
/// thread issues `loads` loads of 16 bytes before it uses the first, then counts in a register. A
/// packet adds its lanes without scratch memory, a team adds its packets in scratch memory, and one
/// thread adds to the cell's count. A block is found by one load rather than by a chain of loads
/// through tiles and segments, because this latency precedes every block.
///
/// On a host one thread counts a block, in a vectorised loop of 32-bit compares and adds. A 64-bit
/// counter in the loop would halve the vector width.

#include "batched.hpp"
#include "cut_trials.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

inline constexpr int quad_keys = 16 / sizeof(Real);

/// Adjacent keys on a 16-byte boundary, the widest load of a device thread. Compilers turn its copy
/// into one load.
struct alignas(16) Quad {
  Real key[quad_keys];
};

/// Keys between the 16-byte boundary at or before `keys` and `keys`.
KOKKOS_INLINE_FUNCTION int keys_after_boundary(const Real* keys) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(keys) % 16 / sizeof(Real));
}

/// Quad number q of a block of `size` keys, counted from the boundary at or before its first. Keys
/// outside the block are `fill`; they are not read.
KOKKOS_FORCEINLINE_FUNCTION Quad load_quad(const Real* keys, int size, int offset, int q,
                                           Real fill) {
  const int first = q * quad_keys - offset;
  if (first >= 0 && first + quad_keys <= size) return *reinterpret_cast<const Quad*>(keys + first);
  Quad quad;
  for (int k = 0; k < quad_keys; ++k)
    quad.key[k] = first + k >= 0 && first + k < size ? keys[first + k] : fill;
  return quad;
}

/// The keys of a block and the cell they belong to.
struct CountBlock {
  const Real* keys = nullptr;
  std::uint32_t size = 0;  ///< 0: nothing to do
  std::uint32_t cell = 0;
};

/// How a device reads a block: quads that a thread loads before it uses the first, and threads per
/// team. With floats, 16 teams per multiprocessor have 256 KiB in flight, several times what the
/// memory latency requires.
struct PacketShape {
  static constexpr int loads = 8;
  static constexpr int threads = tile_size / quad_keys / loads;
  static constexpr int packets = threads / packet_width;
  static constexpr int teams = 1024 / threads;  ///< at least, on a multiprocessor
};

/// Device version: one team per block.
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
          // Comparisons with NaN are false, so fills are never counted.
          constexpr Real fill = Kokkos::Experimental::quiet_NaN_v<Real>;
          Quad quad[PacketShape::loads];
          quad[0] = load_quad(block.keys, size, offset, me, fill);
          if (size == tile_size) {
            // All quads of a full block are whole, except the first and the one past the loop.
            const Quad* whole = reinterpret_cast<const Quad*>(block.keys - offset);
            for (int l = 1; l < PacketShape::loads; ++l)
              quad[l] = whole[l * PacketShape::threads + me];
          } else {
            for (int l = 1; l < PacketShape::loads; ++l)
              quad[l] = load_quad(block.keys, size, offset, l * PacketShape::threads + me, fill);
          }
          for (int l = 0; l < PacketShape::loads; ++l)
            for (int k = 0; k < quad_keys; ++k) sum += quad[l].key[k] <= cut;
          // The last quad of a full block that begins off a boundary.
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

/// Host version: one thread per block.
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
    const auto blocks = blocks_;
    Kokkos::parallel_for(
        "copse::orb::count_blocks", Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles.bound),
        KOKKOS_LAMBDA(Count t) {
          const Tile tile = tiles.tile(t);
          CountBlock block;
          if (tile.segment != Tile::none && trials.is_open(tile.segment)) {
            block.keys = trials.column(tile.segment).keys + tile.begin;
            block.size = static_cast<std::uint32_t>(tile.end - tile.begin);
            block.cell = tile.segment;
          }
          blocks(t) = block;
        });
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
