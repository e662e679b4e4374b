#pragma once
/// \file
/// The plan of a segmented partition: the destinations of every tile's rows. It is made from the
/// counts of each tile, joined over its threads.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/relaxed_access.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Counts and extreme keys of one segment.
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

/// Raises or lowers a segment's extreme key; the plain read first keeps all but a few of the many
/// tiles of a large segment from the contended atomic.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void raise_max(Key* target, Key key) {
  if (key > relaxed_load(target)) Kokkos::atomic_max(target, key);
}
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION void lower_min(Key* target, Key key) {
  if (key < relaxed_load(target)) Kokkos::atomic_min(target, key);
}

/// The result of one pass over a tile, in one value, so that a team reduces once.
template <class Key>
struct TileCount {
  Key left_max = 0;
  Key right_min = static_cast<Key>(~Key{0});
  std::uint32_t left = 0;
};

/// Kokkos reducer of TileCount.
template <class Key>
class JoinTileCounts {
 public:
  using reducer = JoinTileCounts;
  using value_type = TileCount<Key>;
  using result_view_type =
      Kokkos::View<value_type, Kokkos::AnonymousSpace, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit JoinTileCounts(value_type& value) : value_(&value) {}
  KOKKOS_FUNCTION void join(value_type& to, const value_type& from) const {
    to.left += from.left;
    if (from.left_max > to.left_max) to.left_max = from.left_max;
    if (from.right_min < to.right_min) to.right_min = from.right_min;
  }
  KOKKOS_FUNCTION void init(value_type& value) const { value = value_type{}; }
  KOKKOS_FUNCTION value_type& reference() const { return *value_; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(value_); }

 private:
  value_type* value_;
};

}  // namespace copse
