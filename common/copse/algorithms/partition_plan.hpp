#pragma once
/// \file
/// The plan of a segmented partition: the destinations of every tile's rows.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// What the plan determines about one segment.
template <class Key>
struct PartitionSummary {
  Count left;     ///< rows with key <= threshold
  Key left_max;   ///< largest key on the left; 0 if there is none
  Key right_min;  ///< smallest key on the right; ~0 if there is none
};

/// Thresholds and results of all segments.
template <class MemorySpace, class Key>
struct PartitionPlan {
  TileTable<MemorySpace> tiles;
  Kokkos::View<Key*, Kokkos::LayoutLeft, MemorySpace> threshold;                  ///< [segments]
  Kokkos::View<PartitionSummary<Key>*, Kokkos::LayoutLeft, MemorySpace> summary;  ///< [segments]
  /// [tiles.bound + 1]: rows that go left in all tiles before this one.
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> left_before;

  /// First destinations of the left and right rows of a tile.
  struct Target {
    Count left;
    Count right;
  };
  KOKKOS_FUNCTION Target target(Count t, const Tile& tile) const {
    const Segment segment = tiles.segments(tile.segment);
    const Count left = left_before(t) - left_before(tiles.first_tile(tile.segment));
    const Count rows = tile.begin - segment.begin;
    return {segment.begin + left, segment.begin + summary(tile.segment).left + (rows - left)};
  }
};

}  // namespace copse
