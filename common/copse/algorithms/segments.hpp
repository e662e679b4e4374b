#pragma once
/// \file
/// Segments of an array, and their division into tiles of equal work.
///
/// A tree level is a list of cells whose sizes differ by orders of magnitude. One launch per cell
/// is dominated by launch latency ([Rehmann 2022] section 6.4); one team per cell leaves the device
/// idle at the top of the tree. Therefore every segment is cut into tiles of at most `tile_size`
/// rows and one team processes one tile (the "block table" of [Rehmann 2022] section 6.5): one
/// launch per level, for any distribution of cell sizes.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

/// Rows [begin, end) of an array.
struct Segment {
  Count begin = 0;
  Count end = 0;
  KOKKOS_FUNCTION Count size() const { return end - begin; }
};

template <class MemorySpace>
using Segments = Kokkos::View<Segment*, Kokkos::LayoutLeft, MemorySpace>;

/// Rows per tile. Large enough that the overhead of a tile is negligible compared with its 16 KiB
/// column, small enough for a CPU's L1 cache.
inline constexpr int tile_size = 4096;

/// The rows of one tile and the segment they belong to.
struct Tile {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t segment = none;  ///< `none`: beyond the last tile
  Count begin = 0;
  Count end = 0;
};

/// The division of segments into tiles. Tiles are numbered segment by segment, in row order.
template <class MemorySpace>
struct TileTable {
  Segments<MemorySpace> segments;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> first_tile;          ///< [segments + 1]
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> segment_of;  ///< [bound]
  Count bound = 0;  ///< upper bound on the number of tiles, known on the host without a transfer

  KOKKOS_FUNCTION Tile tile(Count t) const {
    Tile result;
    result.segment = segment_of(t);
    if (result.segment == Tile::none) return result;
    const Segment whole = segments(result.segment);
    result.begin = whole.begin + (t - first_tile(result.segment)) * tile_size;
    const Count end = result.begin + tile_size;
    result.end = end < whole.end ? end : whole.end;
    return result;
  }
};

namespace detail {

template <class MemorySpace, class Wanted>
struct CountTiles {
  Segments<MemorySpace> segments;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> first_tile;
  Wanted wanted;

  KOKKOS_FUNCTION void operator()(Count s, Count& sum, bool final) const {
    const Count tiles = wanted(s) ? (segments(s).size() + tile_size - 1) / tile_size : 0;
    if (final) {
      first_tile(s) = sum;
      if (s + 1 == segments.extent(0)) first_tile(s + 1) = sum + tiles;
    }
    sum += tiles;
  }
};

template <class MemorySpace>
struct FillTiles {
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> first_tile;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> segment_of;

  /// Finds the last segment whose first tile is <= t: O(log segments) per tile.
  KOKKOS_FUNCTION void operator()(Count t) const {
    const Count segments = first_tile.extent(0) - 1;
    if (t >= first_tile(segments)) {
      segment_of(t) = Tile::none;
      return;
    }
    Count low = 0, high = segments;
    while (high - low > 1) {
      const Count middle = (low + high) / 2;
      if (first_tile(middle) <= t) {
        low = middle;
      } else {
        high = middle;
      }
    }
    segment_of(t) = static_cast<std::uint32_t>(low);
  }
};

struct EverySegment {
  KOKKOS_FUNCTION bool operator()(Count) const { return true; }
};

}  // namespace detail

/// Bytes of the workspace of make_tiles for these arguments.
constexpr Count tile_table_bytes(Count segments, Count rows, Count most) {
  return (segments + 1) * sizeof(Count) + (rows / tile_size + most) * sizeof(std::uint32_t);
}

/// Divides the segments s with `wanted(s)` into tiles; `rows` bounds the sum of their sizes and
/// `most` their number. Segments may be empty and need not cover all rows. Work O(segments + tiles
/// log segments), no host synchronisation.
template <class ExecutionSpace, class MemorySpace, class Wanted = detail::EverySegment>
TileTable<MemorySpace> make_tiles(const ExecutionSpace& space,
                                  const Segments<MemorySpace>& segments, Count rows, Count most,
                                  Workspace<MemorySpace>& workspace, const std::string& name,
                                  const Wanted& wanted = {}) {
  TileTable<MemorySpace> table;
  const Count n = segments.extent(0);
  table.segments = segments;
  table.bound = n == 0 ? 0 : rows / tile_size + most;
  table.first_tile = workspace.template get<Count>(name + "::first_tile", n + 1);
  table.segment_of = workspace.template get<std::uint32_t>(name + "::segment_of", table.bound);
  if (n == 0) return table;
  Kokkos::parallel_scan(
      "copse::segments::count_tiles", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
      detail::CountTiles<MemorySpace, Wanted>{segments, table.first_tile, wanted});
  Kokkos::parallel_for("copse::segments::fill_tiles",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, table.bound),
                       detail::FillTiles<MemorySpace>{table.first_tile, table.segment_of});
  return table;
}

}  // namespace copse
