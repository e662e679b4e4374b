#pragma once
/// \file
/// Partitions rows into up to 64 parts per segment in one pass: stable, out of place.
///
/// The caller writes the part of every row, counts the rows of each tile in each part, and replaces
/// the counts by their exclusive scan: the positions of every tile's rows (MultiwayPlaces). On a
/// device a team sorts its tile by part in scratch memory before it writes the rows, so that
/// neighbouring threads write neighbouring rows and the 4096 rows of a tile leave it in at most 64
/// runs.
///
/// Work model per row: every column once in and once out (2 * 16 bytes for float positions with a
/// 32-bit index) and 1 byte for the row's part; on a device one write and one read of scratch
/// memory for each column.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/packet.hpp>
#include <copse/backend/types.hpp>
#include <copse/backend/unroll.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace copse {

/// A partition has at most 2^most_multiway_levels parts.
inline constexpr int most_multiway_levels = 6;

/// The part of each row, and the number of rows of each tile in each part. Counts are ordered by
/// segment, then part, then tile, so that after an exclusive scan over all of them `count` is the
/// position of the first row of a tile in a part.
template <class MemorySpace>
struct MultiwayPlaces {
  TileTable<MemorySpace> tiles;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> count;   ///< [tiles.bound * size]
  std::uint32_t size = 1;                                             ///< parts; a power of two
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> part;  ///< [rows]

  KOKKOS_FUNCTION Count index(Count tile, std::uint32_t segment, std::uint32_t part_number) const {
    const Count first = tiles.first_tile(segment);
    const Count number = tiles.first_tile(segment + 1) - first;
    return first * size + part_number * number + (tile - first);
  }
};

/// First element of a column. Views cannot have pointers as elements.
struct ColumnPointer {
  Real* data = nullptr;
};

/// The columns to move: the points, and one column of any type.
template <class MemorySpace, class Row = LocalIndex>
struct MultiwayColumns {
  const Real* from[3] = {};  ///< null: no points are moved
  Real* to[3] = {};
  /// [3][places.size] Used instead of `to` if each part has separate columns, for instance in the
  /// memory of another device. A row keeps its position.
  const ColumnPointer* to_of_part = nullptr;
  const Row* row_from = nullptr;  ///< null: the row numbers, if Row is LocalIndex
  Row* row_to = nullptr;          ///< null: nothing but the points is moved
  MultiwayPlaces<MemorySpace> places;
};

namespace detail {

inline constexpr int multiway_threads = 512;
using MultiwayBounds = Kokkos::LaunchBounds<multiway_threads, 2>;

/// Device version: a team per tile. `Apart`: parts have columns of their own.
template <class ExecutionSpace, class Row = LocalIndex, bool Apart = false>
struct MultiwayMoveTile {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace, MultiwayBounds>::member_type;
  template <class T>
  using Shared =
      Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int packets = multiway_threads / packet_width;
  static constexpr int rows = tile_size / multiway_threads;
  /// Scratch memory has room for one or two columns of words; a row may be several of them.
  using Word = std::conditional_t<sizeof(Row) % 8 == 0, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Row) % sizeof(Word) == 0 && alignof(Row) >= alignof(Word));
  static constexpr int words = static_cast<int>(sizeof(Row) / sizeof(Word));
  using StageWord = std::conditional_t<(sizeof(Word) > sizeof(Real)), Word, Real>;

  static constexpr std::uint32_t most_parts = 1u << most_multiway_levels;
  /// Puts the counters of one part in different banks.
  static constexpr std::uint32_t pitch = most_parts + 1;

  /// With two stages, columns alternate between them and need one barrier each.
  static constexpr int stages = sizeof(StageWord) == 4 ? 2 : 1;

  MultiwayColumns<MemorySpace, Row> arg;

  static std::size_t scratch_bytes() {
    return Shared<std::uint32_t>::shmem_size(pitch * packets) +
           2 * Shared<std::uint32_t>::shmem_size(most_parts) +
           Shared<std::uint8_t>::shmem_size(tile_size) +
           Shared<StageWord>::shmem_size(stages * tile_size) +
           (Apart ? Shared<ColumnPointer>::shmem_size(3 * most_parts) : 0);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count t = team.league_rank();
    const Tile tile = arg.places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    // Nearly all tiles are whole, and without a check for every row the kernel is a third shorter.
    if (tile.end - tile.begin == tile_size) {
      move<true>(team, t, tile);
    } else {
      move<false>(team, t, tile);
    }
  }

 private:
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void move(const Team& team, Count t, const Tile& tile) const {
    const std::uint32_t size = arg.places.size;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const std::uint32_t packet = rank / packet_width;
    const std::uint32_t lane = rank % packet_width;
    const auto n = static_cast<std::uint32_t>(tile.end - tile.begin);
    Shared<std::uint32_t> counters(team.team_scratch(0), pitch * packets);
    Shared<std::uint32_t> start(team.team_scratch(0), most_parts);  // of a part in the sorted tile
    Shared<LocalIndex> place(team.team_scratch(0), most_parts);     // where a part's rows go
    Shared<std::uint8_t> part_at(team.team_scratch(0), tile_size);
    Shared<StageWord> stage(team.team_scratch(0), stages * tile_size);
    Shared<ColumnPointer> column_of_part;
    if (Apart) column_of_part = Shared<ColumnPointer>(team.team_scratch(0), 3 * most_parts);

    // A packet owns consecutive rows and takes them 32 at a time, so that order is kept.
    const std::uint32_t first = packet * rows * packet_width + lane;
    std::uint8_t slot[rows];
    load<Whole>(arg.places.part.data() + tile.begin, first, n, slot);
    for (std::uint32_t i = rank; i < pitch * packets; i += multiway_threads) counters(i) = 0;
    if (rank < size) place(rank) = arg.places.count(arg.places.index(t, tile.segment, rank));
    if (Apart && rank < 3 * size) column_of_part(rank) = arg.to_of_part[rank];
    team.team_barrier();

    // A row's position among the packet's rows of its part.
    std::uint32_t* mine = &counters(pitch * packet);
    const std::uint32_t lanes_below = (std::uint32_t{1} << lane) - 1;
    std::uint32_t to[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const bool used = Whole || first + r * packet_width < n;
      std::uint32_t same = packet_match(slot[r], most_multiway_levels);
      if (!Whole) same &= packet_ballot(used);
      const std::uint32_t before = mine[slot[r]];
      to[r] = before + Kokkos::popcount(same & lanes_below);
      packet_sync();
      if (used && (same >> lane) == 1) mine[slot[r]] = to[r] + 1;
      packet_sync();
    }
    team.team_barrier();
    // Where each packet's rows of a part start: a scan over the packets, one part per packet at a
    // time.
    for (std::uint32_t l = packet; l < size; l += packets) {
      const std::uint32_t here = lane < packets ? counters(pitch * lane + l) : 0;
      const std::uint32_t inclusive = packet_inclusive_sum(here);
      if (lane < packets) counters(pitch * lane + l) = inclusive - here;
      if (lane == packet_width - 1) start(l) = inclusive;
    }
    team.team_barrier();
    if (packet == 0) {
      std::uint32_t running = 0;
      for (std::uint32_t l = lane; l < (size + packet_width - 1) / packet_width * packet_width;
           l += packet_width) {
        const std::uint32_t here = l < size ? start(l) : 0;
        const std::uint32_t inclusive = packet_inclusive_sum(here);
        if (l < size) {
          start(l) = running + inclusive - here;
          place(l) -= running + inclusive - here;  // place + sorted row is the target
        }
        running += packet_broadcast(inclusive, packet_width - 1);
      }
    }
    team.team_barrier();
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (!Whole && first + r * packet_width >= n) continue;
      to[r] += start(slot[r]) + mine[slot[r]];
      part_at(to[r]) = slot[r];
    }
    team.team_barrier();
    LocalIndex target[rows];
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t i = rank + r * multiway_threads;
      target[r] = Whole || i < n ? place(part_at(i)) + i : 0;
    }
    // The next column is loaded while this one waits at the barrier.
    if (arg.from[0] != nullptr) {
      Real value[rows];
      load<Whole>(arg.from[0] + tile.begin, first, n, value);
      COPSE_UNROLL
      for (int a = 0; a < 3; ++a) {
        Real* const staged = reinterpret_cast<Real*>(&stage(a % stages * tile_size));
        put<Whole>(first, n, to, value, staged);
        if (a < 2) load<Whole>(arg.from[a + 1] + tile.begin, first, n, value);
        team.team_barrier();
        if constexpr (Apart) {
          take<Whole>(team, n, staged, target,
                      [&](std::uint32_t i) { return column_of_part(a * size + part_at(i)).data; });
        } else {
          take<Whole>(team, n, staged, target, [&](std::uint32_t) { return arg.to[a]; });
        }
        if (stages == 1) team.team_barrier();
      }
    }
    if (arg.row_to == nullptr) return;
    for (int w = 0; w < words; ++w) {
      Word word[rows];
      load_word<Whole>(tile, first, n, w, word);
      Word* const staged = reinterpret_cast<Word*>(&stage((w + 1) % stages * tile_size));
      put<Whole>(first, n, to, word, staged);
      team.team_barrier();
      Word* const column = reinterpret_cast<Word*>(arg.row_to) + w;
      take<Whole, words>(team, n, staged, target, [&](std::uint32_t) { return column; });
      if (stages == 1) team.team_barrier();
    }
  }

  /// Loads word w of the thread's rows of the column that moves with the points.
  template <bool Whole>
  KOKKOS_FORCEINLINE_FUNCTION void load_word(const Tile& tile, std::uint32_t first, std::uint32_t n,
                                             int w, Word (&word)[rows]) const {
    if constexpr (std::is_same_v<Row, LocalIndex>) {
      if (arg.row_from == nullptr) {
        COPSE_UNROLL
        for (int r = 0; r < rows; ++r)
          word[r] = static_cast<LocalIndex>(tile.begin + first + r * packet_width);
        return;
      }
    }
    load<Whole, words>(reinterpret_cast<const Word*>(arg.row_from + tile.begin) + w, first, n,
                       word);
  }

  /// Loads the thread's rows of one column, whose rows are `Stride` elements apart. Rows past the
  /// tile's end read its first row.
  template <bool Whole, int Stride = 1, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void load(const T* from, std::uint32_t first, std::uint32_t n,
                                               T (&value)[rows]) {
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t i = first + r * packet_width;
      value[r] = from[Whole || i < n ? i * Stride : 0];
    }
  }

  /// Puts the thread's rows of one column where they are in the sorted tile.
  template <bool Whole, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void put(std::uint32_t first, std::uint32_t n,
                                              const std::uint32_t (&to)[rows],
                                              const T (&value)[rows], T* stage) {
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r)
      if (Whole || first + r * packet_width < n) stage[to[r]] = value[r];
  }

  /// Writes a column of the sorted tile: neighbouring threads write neighbouring rows. Sorted row i
  /// goes to the column `column_of(i)`.
  template <bool Whole, int Stride = 1, class T, class ColumnOf>
  KOKKOS_FORCEINLINE_FUNCTION static void take(const Team& team, std::uint32_t n, const T* stage,
                                               const LocalIndex (&target)[rows],
                                               const ColumnOf& column_of) {
    COPSE_UNROLL
    for (int r = 0; r < rows; ++r) {
      const std::uint32_t i = static_cast<std::uint32_t>(team.team_rank()) + r * multiway_threads;
      if (Whole || i < n) column_of(i)[Count{target[r]} * Stride] = stage[i];
    }
  }
};

/// Host version, one thread per tile: all targets first, then one column after the other, each with
/// one input stream and at most 64 output streams.
template <class ExecutionSpace, class Row = LocalIndex, bool Apart = false>
struct MultiwayMoveTileOnHost {
  MultiwayColumns<typename ExecutionSpace::memory_space, Row> arg;

  void operator()(Count t) const {
    const Tile tile = arg.places.tiles.tile(t);
    if (tile.segment == Tile::none) return;
    std::array<LocalIndex, 1 << most_multiway_levels> place{};
    for (std::uint32_t l = 0; l < arg.places.size; ++l)
      place[l] = arg.places.count(arg.places.index(t, tile.segment, l));
    const int n = static_cast<int>(tile.end - tile.begin);
    LocalIndex target[tile_size];
    for (int r = 0; r < n; ++r) target[r] = place[arg.places.part(tile.begin + r)]++;
    if (arg.from[0] != nullptr) {
      for (int a = 0; a < 3; ++a) {
        const Real* from = arg.from[a] + tile.begin;
        if constexpr (Apart) {
          const ColumnPointer* column = arg.to_of_part + a * arg.places.size;
          for (int r = 0; r < n; ++r)
            column[arg.places.part(tile.begin + r)].data[target[r]] = from[r];
        } else {
          for (int r = 0; r < n; ++r) arg.to[a][target[r]] = from[r];
        }
      }
    }
    if (arg.row_to == nullptr) return;
    if constexpr (std::is_same_v<Row, LocalIndex>) {
      if (arg.row_from == nullptr) {
        for (int r = 0; r < n; ++r) arg.row_to[target[r]] = static_cast<Row>(tile.begin + r);
        return;
      }
    }
    const Row* from = arg.row_from + tile.begin;
    for (int r = 0; r < n; ++r) arg.row_to[target[r]] = from[r];
  }
};

}  // namespace detail

/// Moves every row to its part in one kernel called `label`. `Apart`: with `to_of_part`. No host
/// synchronisation.
template <bool Apart = false, class ExecutionSpace, class MemorySpace, class Row>
void multiway_partition(const std::string& label, const ExecutionSpace& space,
                        const MultiwayColumns<MemorySpace, Row>& columns) {
  const Count tiles = columns.places.tiles.bound;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, tiles),
                         detail::MultiwayMoveTileOnHost<ExecutionSpace, Row, Apart>{columns});
  } else {
    const detail::MultiwayMoveTile<ExecutionSpace, Row, Apart> kernel{columns};
    Kokkos::TeamPolicy<ExecutionSpace, detail::MultiwayBounds> policy(
        space, static_cast<int>(tiles), detail::multiway_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(kernel.scratch_bytes()));
    Kokkos::parallel_for(label, policy, kernel);
  }
}

}  // namespace copse
