#pragma once
/// \file
/// The stable partition of a range of rows in two, by one team, out of place. Made for devices; on
/// a host a team has one thread.
///
/// The number of rows that go left is known, so both sides are written in the same pass. The team
/// takes a tile of rows at a time. A warp ranks its rows by ballots, the warps exchange their
/// totals through scratch memory, and one barrier per tile suffices.
///
/// Bytes per row: each column once in and once out.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Scratch memory of a team that moves rows.
template <int Threads>
struct PartitionMemory {
  std::uint32_t lefts[2][Threads < packet_width ? 1 : Threads / packet_width];
};

/// The columns that move: points, and one more column or null.
template <int Dim, class PointSet, class Row>
struct MovedRows {
  PointSet from;
  PointSet to;
  const Row* row_from;
  Row* row_to;
};

/// Moves `rows` so that those whose coordinate along `axis` has a key of at most `threshold` come
/// first; `left` is their number. Lowers `right_min` and raises `left_max` to the extreme keys of
/// the calling thread's rows on either side. The next use of `memory` must follow a barrier.
template <int Threads, class Team, int Dim, class PointSet, class Row, class Key>
KOKKOS_FUNCTION void partition_by_team(const Team& team, PartitionMemory<Threads>& memory,
                                       const MovedRows<Dim, PointSet, Row>& arrays,
                                       const Segment& rows, int axis, Key threshold, Count left,
                                       Key& right_min, Key& left_max) {
  constexpr int width = Threads < packet_width ? Threads : packet_width;
  constexpr int warps = Threads / width;
  constexpr int per_thread = 4;
  constexpr int tile = Threads * per_thread;
  const int warp = team.team_rank() / width;
  const int lane = team.team_rank() % width;
  const std::uint32_t lanes_below = (std::uint32_t{1} << lane) - 1;
  const bool with_rows = arrays.row_from != nullptr;
  Count to_left = rows.begin, to_right = rows.begin + left;
  // A warp moves consecutive rows, 32 at a time, so that the order is kept.
  const int mine = warp * per_thread * width + lane;
  int turn = 0;
  for (Count first = rows.begin; first < rows.end; first += tile, turn ^= 1) {
    const int here = static_cast<int>(rows.end - first < tile ? rows.end - first : tile);
    Real value[Dim][per_thread];
    Row row[per_thread]{};
    COPSE_UNROLL
    for (int r = 0; r < per_thread; ++r) {
      const int i = mine + r * width;
      const Count at = first + (i < here ? i : 0);
      COPSE_UNROLL
      for (int a = 0; a < Dim; ++a) value[a][r] = arrays.from(at, a);
      if (with_rows) row[r] = arrays.row_from[at];
    }
    std::uint32_t mask[per_thread];
    std::uint32_t total = 0;
    COPSE_UNROLL
    for (int r = 0; r < per_thread; ++r) {
      const bool used = mine + r * width < here;
      Real along = value[0][r];
      COPSE_UNROLL
      for (int a = 1; a < Dim; ++a) along = a == axis ? value[a][r] : along;
      const Key key = ordered_key(along);
      const bool goes_left = key <= threshold;
      mask[r] = packet_ballot(used && goes_left);
      total += Kokkos::popcount(mask[r]);
      if (used && goes_left && key > left_max) left_max = key;
      if (used && !goes_left && key < right_min) right_min = key;
    }
    // Two buffers in turn: a warp that lags behind still reads the other.
    if (lane == 0) memory.lefts[turn][warp] = total;
    team.team_barrier();
    const std::uint32_t up_to = packet_inclusive_sum(lane < warps ? memory.lefts[turn][lane] : 0);
    const std::uint32_t of_all = packet_broadcast(up_to, packet_width - 1);
    std::uint32_t before = packet_broadcast(up_to, warp) - total;
    COPSE_UNROLL
    for (int r = 0; r < per_thread; ++r) {
      const int i = mine + r * width;
      const std::uint32_t rank = before + Kokkos::popcount(mask[r] & lanes_below);
      before += Kokkos::popcount(mask[r]);
      if (i >= here) continue;
      const Count target = (mask[r] >> lane) & 1 ? to_left + rank : to_right + (i - rank);
      COPSE_UNROLL
      for (int a = 0; a < Dim; ++a) arrays.to(target, a) = value[a][r];
      if (with_rows) arrays.row_to[target] = row[r];
    }
    to_left += of_all;
    to_right += here - of_all;
  }
}

}  // namespace copse
