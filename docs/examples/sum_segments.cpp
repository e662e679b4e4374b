#include "sum_segments.hpp"

#include <copse/backend/backends.hpp>

namespace copse::book {
namespace {

// [begin by_thread]
template <class MemorySpace>
struct SumByThread {
  SegmentedValues<MemorySpace> rows;
  Sums<MemorySpace> sums;

  KOKKOS_FUNCTION void operator()(Count segment) const {
    std::uint64_t sum = 0;
    for (Count row = rows.begin(segment); row < rows.begin(segment + 1); ++row)
      sum += rows.value(row);
    sums(segment) = sum;
  }
};
// [end by_thread]

// [begin by_team]
template <class ExecutionSpace>
struct SumByTeam {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  SegmentedValues<typename ExecutionSpace::memory_space> rows;
  Sums<typename ExecutionSpace::memory_space> sums;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count segment = team.league_rank();
    std::uint64_t sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, rows.begin(segment), rows.begin(segment + 1)),
        [&](Count row, std::uint64_t& mine) { mine += rows.value(row); }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { sums(segment) = sum; });
  }
};
// [end by_team]

// [begin tile]
/// A tile: an equal number of rows (except in the last tile), and the segments that they belong to.
template <class MemorySpace, int size>
struct Tile {
  Count begin, end;
  Count first, last;  ///< segments of the first and the last row

  static int number_of(const SegmentedValues<MemorySpace>& rows) {
    return static_cast<int>((rows.value.extent(0) + size - 1) / size);
  }

  KOKKOS_FUNCTION Tile(const SegmentedValues<MemorySpace>& rows, Count number)
      : begin(number * size),
        end(Kokkos::min<Count>(begin + size, rows.value.extent(0))),
        first(segment_of(rows, begin, 0)),
        last(segment_of(rows, end - 1, first)) {}

  /// The last segment, from `low` on, that begins at or before a row.
  KOKKOS_FUNCTION static Count segment_of(const SegmentedValues<MemorySpace>& rows, Count row,
                                          Count low) {
    Count high = rows.segments();
    while (low + 1 < high) {
      const Count middle = low + (high - low) / 2;
      (rows.begin(middle) <= row ? low : high) = middle;
    }
    return low;
  }

  /// Adds a piece to the segment's sum, which is initially 0. Only a segment that continues in
  /// another tile, at most two per tile, needs an atomic.
  KOKKOS_FUNCTION void add(const SegmentedValues<MemorySpace>& rows, const Sums<MemorySpace>& sums,
                           Count segment, std::uint64_t piece) const {
    if (begin <= rows.begin(segment) && rows.begin(segment + 1) <= end) {
      sums(segment) = piece;
    } else {
      Kokkos::atomic_add(&sums(segment), piece);
    }
  }
};
// [end tile]

// [begin by_tile]
template <class ExecutionSpace>
struct SumByTile {
  using Memory = typename ExecutionSpace::memory_space;
  using TileT = Tile<Memory, runs_on_host<ExecutionSpace> ? 16384 : 2048>;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  SegmentedValues<Memory> rows;
  Sums<Memory> sums;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TileT tile(rows, team.league_rank());
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, tile.first, tile.last + 1), [&](Count segment) {
          std::uint64_t piece = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, Kokkos::max(tile.begin, rows.begin(segment)),
                                        Kokkos::min(tile.end, rows.begin(segment + 1))),
              [&](Count row, std::uint64_t& mine) { mine += rows.value(row); }, piece);
          Kokkos::single(Kokkos::PerThread(team), [&]() { tile.add(rows, sums, segment, piece); });
        });
  }
};
// [end by_tile]

// [begin scanned]
template <class ExecutionSpace>
struct SumScanned {
  using Memory = typename ExecutionSpace::memory_space;
  using TileT = Tile<Memory, 2048>;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Scratch = Kokkos::View<std::uint64_t*, typename ExecutionSpace::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  static constexpr int run = 16;  ///< rows per thread
  static constexpr int room = 2048 / run * (run + 1);
  SegmentedValues<Memory> rows;
  Sums<Memory> sums;

  /// The scratch position of the sum of a tile's rows 0 to `row`: runs are 17 apart, so that
  /// adjacent threads write to different banks of a device's scratch memory.
  KOKKOS_FUNCTION static int place(int row) { return row + row / run; }
  static std::size_t scratch_bytes() { return Scratch::shmem_size(room); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const TileT tile(rows, team.league_rank());
    const Scratch through(team.team_scratch(0), room);
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, 2048 / run),
                          [&](int t, std::uint64_t& sum, bool last) {
                            const Count from = tile.begin + static_cast<Count>(run * t);
                            std::uint32_t value[run];
                            for (Count k = 0; k < run; ++k)
                              value[k] = from + k < tile.end ? rows.value(from + k) : 0;
                            std::uint64_t mine = sum;  // in a register
                            for (int k = 0; k < run; ++k) {
                              mine += value[k];
                              if (last) through(place(run * t + k)) = mine;
                            }
                            sum = mine;
                          });
    team.team_barrier();
    const auto before = [&](Count row) {  // the tile's rows before this one
      return row == tile.begin ? 0 : through(place(static_cast<int>(row - tile.begin) - 1));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile.first, tile.last + 1),
                         [&](Count segment) {
                           const Count from = Kokkos::max(tile.begin, rows.begin(segment));
                           const Count to = Kokkos::min(tile.end, rows.begin(segment + 1));
                           tile.add(rows, sums, segment, before(to) - before(from));
                         });
  }
};
// [end scanned]

}  // namespace

template <class ExecutionSpace>
void sum_segments(const ExecutionSpace& space, Summing summing,
                  const SegmentedValues<typename ExecutionSpace::memory_space>& rows,
                  const Sums<typename ExecutionSpace::memory_space>& sums) {
  using Memory = typename ExecutionSpace::memory_space;
  using Teams = Kokkos::TeamPolicy<ExecutionSpace>;
  constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 128;
  constexpr int lanes = runs_on_host<ExecutionSpace> ? 1 : 32;
  const int segments = static_cast<int>(rows.segments());
  // Tiles add to the sums, and never visit a segment without rows.
  const bool tiled = summing == Summing::by_tile || summing == Summing::scanned;
  if (tiled) Kokkos::deep_copy(space, sums, 0);
  switch (summing) {
    case Summing::by_thread:
      Kokkos::parallel_for("copse::book::sum_by_thread",
                           Kokkos::RangePolicy<ExecutionSpace>(space, 0, segments),
                           SumByThread<Memory>{rows, sums});
      break;
    case Summing::by_team:
      Kokkos::parallel_for("copse::book::sum_by_team", Teams(space, segments, threads),
                           SumByTeam<ExecutionSpace>{rows, sums});
      break;
    case Summing::by_tile: {
      using Kernel = SumByTile<ExecutionSpace>;
      Kokkos::parallel_for("copse::book::sum_by_tile",
                           Teams(space, Kernel::TileT::number_of(rows), threads / lanes, lanes),
                           Kernel{rows, sums});
      break;
    }
    case Summing::scanned: {
      using Kernel = SumScanned<ExecutionSpace>;
      Teams policy(space, Kernel::TileT::number_of(rows), threads);
      policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
      Kokkos::parallel_for("copse::book::sum_scanned", policy, Kernel{rows, sums});
      break;
    }
  }
  space.fence("copse::book::sum_segments");
}

#define COPSE_INSTANTIATE(SPACE)                                                          \
  template void sum_segments<SPACE>(const SPACE&, Summing,                                \
                                    const SegmentedValues<typename SPACE::memory_space>&, \
                                    const Sums<typename SPACE::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::book
