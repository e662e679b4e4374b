#pragma once
/// \file
/// One level of the bisection engine (bisection.hpp): the cells that it cuts at once, their keys,
/// and the step of one cell before and after the cut.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/cut.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The largest key that goes left, given the key of the cell's rank and the counts below and at it:
/// the whole tie goes to the side that brings the left count nearer to the rank, right if both are
/// equally near.
template <class Policy, class Key>
KOKKOS_FUNCTION Key choose_threshold(const Policy& policy, const typename Policy::Cell& cell,
                                     Count rank, const Selected<Key>& found) {
  const Count with_ties = found.below + found.equal;
  if constexpr (divides_ties<Policy>) {
    return found.key;
  } else {
    if (with_ties == rank) return found.key;
    const bool fewer_is_nearer = rank - found.below <= with_ties - rank;
    // An empty left side needs space for a plane between the cell's face and its particles.
    const bool fewer_is_possible = found.below > 0 || found.key > ordered_key(policy.lowest(cell));
    return fewer_is_nearer && fewer_is_possible ? static_cast<Key>(found.key - 1) : found.key;
  }
}

/// The number of keys that go left with the threshold that choose_threshold returned for `found`.
template <class Key>
KOKKOS_FUNCTION Count keys_on_left(Key threshold, const Selected<Key>& found) {
  return threshold == found.key ? found.below + found.equal : found.below;
}

/// The cells of one level, left to right, with the wanted and the found cut of each cell.
template <class MemorySpace, class Policy_>
struct TreeLevel {
  using Policy = Policy_;
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Key = LevelKey<Policy>;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Policy policy;
  Kokkos::View<Cell*, MemorySpace> cells;  ///< 1-based heap
  Array<std::uint32_t> active;             ///< heap slots of this level's cells
  Segments<MemorySpace> segments;          ///< their particle ranges
  Array<Count> ranks;                      ///< [cells of the level]; 0: nothing to cut
  /// [cells of the level] Set by the search: the largest key that goes left. ~0 in cells that are
  /// not cut, which sends every particle left.
  Array<Key> threshold;
  Count rows = 0;  ///< upper bound of the sum of the cells' sizes

  KOKKOS_FUNCTION Key choose_threshold(const Cell& cell, Count rank,
                                       const Selected<Key>& found) const {
    return copse::choose_threshold(policy, cell, rank, found);
  }
};

/// Keys of one level for segmented_select and segmented_partition: each segment is an active cell.
template <class Policy, class PointSet, class Cells, class Active>
struct LevelKeys {
  Policy policy;
  PointSet points;
  Cells cells;
  Active active;

  template <class ValueOf>
  struct Ordered {
    ValueOf value;
    KOKKOS_FORCEINLINE_FUNCTION auto operator()(Count row) const {
      return level_key<Policy>(value(row), row);
    }
  };

  KOKKOS_FUNCTION auto segment(Count s) const {
    auto value = policy.key(cells(active(s)), points);
    return Ordered<decltype(value)>{value};
  }
};

/// Lets the policy choose the axis of an open cell, or other state that its key needs.
template <class Policy, class PointSet>
KOKKOS_FUNCTION void prepare_cell(const Policy& policy, typename Policy::Cell& cell,
                                  std::uint32_t slot, const PointSet& points) {
  if constexpr (requires { policy.prepare(cell, slot, points); }) {
    policy.prepare(cell, slot, points);
  } else {
    policy.prepare(cell, slot);
  }
}

/// Prepares active cell s and sets its particle range and rank.
template <class LevelT, class PointSet>
KOKKOS_FUNCTION void prepare_cut(const LevelT& level, const PointSet& points, Count s) {
  const std::uint32_t slot = level.active(s);
  auto& cell = level.cells(slot);
  level.segments(s) = {cell.begin, cell.end};
  level.threshold(s) = static_cast<typename LevelT::Key>(~typename LevelT::Key{0});
  level.ranks(s) = 0;
  if (!level.policy.open(cell)) return;
  prepare_cell(level.policy, cell, slot, points);
  if (cell.begin == cell.end) return;
  const Count rank = level.policy.rank(cell);
  level.ranks(s) = rank == 0 ? 1 : rank;  // rank 0: the smallest key is needed
}

/// Sets the particle ranges and extents of the children of a cell.
template <class Policy, class Value>
KOKKOS_FUNCTION void make_children(const Policy& policy, typename Policy::Cell& cell,
                                   const Cut<Value>& cut, typename Policy::Cell& left,
                                   typename Policy::Cell& right) {
  left = right = cell;
  left.end = right.begin = cell.begin + cut.left;
  policy.split(cell, cut, left, right);
}

/// Sets the particle ranges and extents of the children of the open cell in `slot`. `found` is the
/// cell's PartitionSummary; it is not read if the cell is empty.
template <class LevelT, class Found>
KOKKOS_FUNCTION void split_cell(const LevelT& level, std::uint32_t slot, const Found& found) {
  using Policy = typename LevelT::Policy;
  auto& cell = level.cells(slot);
  Cut<typename LevelT::Value> cut{};
  if (cell.begin < cell.end) {
    cut.left = found.left;
    cut.right = cell.end - cell.begin - found.left;
    if (cut.left > 0) cut.left_max = value_of_level_key<Policy>(found.left_max);
    if (cut.right > 0) cut.right_min = value_of_level_key<Policy>(found.right_min);
  }
  make_children(level.policy, cell, cut, level.cells(2 * slot), level.cells(2 * slot + 1));
}

}  // namespace copse
