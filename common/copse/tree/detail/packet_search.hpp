#pragma once
/// \file
/// The packets of a team search for the threshold of a cut among keys in their registers.
///
/// A bisection: the range between the smallest and the largest key of the cell is halved until
/// exactly the wanted number of keys is at or below the middle. It takes about log2(particles of
/// the cell) steps for evenly spread keys. Uneven keys, or equal keys to divide, take up to 32.

#include <copse/backend/packet.hpp>
#include <copse/backend/packet_reduction.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>

namespace copse::detail {

/// The packet operations of this backend; a test replaces them to run the device's teams on a host.
struct BackendPacket {
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t ballot(bool value) {
    return packet_ballot(value);
  }
  /// Each lane may read from a different lane.
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t broadcast(std::uint32_t value, int lane) {
    return packet_broadcast(value, lane);
  }
  static KOKKOS_FORCEINLINE_FUNCTION void sync() { packet_sync(); }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t min(std::uint32_t v) { return packet_min(v); }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t max(std::uint32_t v) { return packet_max(v); }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum(std::uint32_t v) { return packet_sum(v); }
};

/// A team that finishes cells of up to `rows` particles: packets of `Width` lanes, each with
/// `PerLane` particles of the packet's part of the cell.
template <int Width, int Packets, int PerLane, class Packet_ = BackendPacket>
struct ChipTeam {
  using Packet = Packet_;
  static constexpr int width = Width;
  static constexpr int packets = Packets;
  static constexpr int per_lane = PerLane;
  static constexpr int threads = Width * Packets;
  static constexpr int rows = threads * PerLane;
  /// Teams that a multiprocessor should hold at least: at most 80 registers per thread, 64 in the
  /// largest team.
  static constexpr int teams = threads < 768 ? 768 / threads : 1;
  /// Levels in which packets share a cell.
  static constexpr int shared_levels = std::bit_width(static_cast<unsigned>(Packets)) - 1;
  static_assert(std::has_single_bit(static_cast<unsigned>(Packets)));
  static_assert(Width <= 32 && rows <= 1 << 16);
};

/// Words that a packet exchanges with the packets of its cell.
inline constexpr int exchanged_words = 4;

/// Padding where there is no row: no finite value has this key.
inline constexpr std::uint32_t no_key = ~std::uint32_t{0};

/// Counts at the threshold of a cell and the keys on either side of it.
struct ChipSides {
  std::uint32_t less = 0;   ///< keys below the threshold
  std::uint32_t equal = 0;  ///< keys at the threshold
  std::uint32_t left_max = 0;
  std::uint32_t right_min = no_key;
};

/// Reductions of a packet that has a cell to itself.
template <class Shape>
struct ChipAlone {
  using Packet = typename Shape::Packet;

  KOKKOS_FORCEINLINE_FUNCTION void range(std::uint32_t& low, std::uint32_t& high) const {
    low = Packet::min(low);
    high = Packet::max(high);
  }
  /// Sums `count` over the cell. \return false if no packet of the team searches any more
  KOKKOS_FORCEINLINE_FUNCTION bool sum(std::uint32_t& count, bool searching) const {
    if (!searching) return false;
    count = Packet::sum(count);
    return true;
  }
  /// Reduces the extremes over the cell; `less` and `equal` become the sums over the cell's packets
  /// before this one.
  KOKKOS_FORCEINLINE_FUNCTION void sides(ChipSides& mine) const {
    Packet::sync();  // the lanes have read their rows, which are now overwritten
    mine.less = mine.equal = 0;
    mine.left_max = Packet::max(mine.left_max);
    mine.right_min = Packet::min(mine.right_min);
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { Packet::sync(); }
};

/// The same for a cell of packets [first, first + sharing) of the team. All packets of the team
/// must call each function equally often.
template <class Shape, class Team>
struct ChipTogether {
  using Packet = typename Shape::Packet;
  const Team& team;
  std::uint32_t* words;  ///< two buffers in turn: packets that lag behind still read the other
  int packet;
  int lane;
  int first;
  int sharing;
  int turn = 0;

  /// Is packet number `lane` one of this cell's?
  KOKKOS_FORCEINLINE_FUNCTION bool ours() const { return lane >= first && lane < first + sharing; }
  /// Writes the packet's words and waits for all packets. \return the words of all
  template <class... Ts>
  KOKKOS_FORCEINLINE_FUNCTION const std::uint32_t* exchange(Ts... word) {
    std::uint32_t* const all = words + (turn ^= 1) * exchanged_words * Shape::packets;
    if (lane == 0) {
      int w = 0;
      ((all[w++ * Shape::packets + packet] = word), ...);
    }
    team.team_barrier();
    return all;
  }
  KOKKOS_FORCEINLINE_FUNCTION void range(std::uint32_t& low, std::uint32_t& high) {
    const std::uint32_t* const all = exchange(Packet::min(low), Packet::max(high));
    low = Packet::min(ours() ? all[lane] : no_key);
    high = Packet::max(ours() ? all[Shape::packets + lane] : 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool sum(std::uint32_t& count, bool searching) {
    const std::uint32_t* const all = exchange(Packet::sum(count), std::uint32_t{searching});
    count = Packet::sum(ours() ? all[lane] : 0);
    return Packet::ballot(lane < Shape::packets && all[Shape::packets + lane] != 0) != 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void sides(ChipSides& mine) {
    const std::uint32_t* const all =
        exchange(Packet::sum(mine.less), Packet::sum(mine.equal), Packet::max(mine.left_max),
                 Packet::min(mine.right_min));
    const bool before = ours() && lane < packet;
    mine.less = Packet::sum(before ? all[lane] : 0);
    mine.equal = Packet::sum(before ? all[Shape::packets + lane] : 0);
    mine.left_max = Packet::max(ours() ? all[2 * Shape::packets + lane] : 0);
    mine.right_min = Packet::min(ours() ? all[3 * Shape::packets + lane] : no_key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { team.team_barrier(); }
};

/// The largest key that goes left. If it is divided, only its first `ties` rows go left.
struct ChipThreshold {
  std::uint32_t key = 0;
  std::uint32_t ties = no_key;
  bool divided = false;
};

/// The threshold that sends `rank` of the n rows of a cell left, 1 <= rank <= n. A lane has PerLane
/// of the keys, or no_key; `low` and `high` are its smallest and largest. Packets whose cell is not
/// `open` only join the reductions.
template <int PerLane, class Join>
KOKKOS_FORCEINLINE_FUNCTION ChipThreshold find_threshold(const std::uint32_t (&key)[PerLane],
                                                         std::uint32_t low, std::uint32_t high,
                                                         bool open, int n, int rank, Join& join) {
  join.range(low, high);
  // The key of the rank is in [low, high], and `less` keys are below low.
  const auto wanted = static_cast<std::uint32_t>(rank);
  std::uint32_t less = 0;
  ChipThreshold found;
  found.divided = rank < n;
  if (rank == n) low = high;
  for (;;) {
    const bool searching = open && low < high;
    const std::uint32_t middle = low + (high - low) / 2;
    std::uint32_t count = 0;
    if (searching) {
      COPSE_UNROLL
      for (int j = 0; j < PerLane; ++j) count += key[j] <= middle;
    }
    if (!join.sum(count, searching)) break;
    if (!searching) continue;
    if (count < wanted) {
      low = middle + 1;
      less = count;
    } else {
      high = middle;
      if (count == wanted) {
        low = middle;
        found.divided = false;
      }
    }
  }
  found.key = low;
  if (found.divided) found.ties = wanted - less;
  return found;
}

}  // namespace copse::detail
