#pragma once
/// \file
/// One level of a tree under construction: its open cells, the cuts wanted of them, and what
/// follows from a cut. Shared by the bisection engine and by every way of finding cuts.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/segments.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// A cut the engine has made: what the policy needs to give the children their extent.
template <class Value>
struct Cut {
  Count left;       ///< particles on the left
  Count right;      ///< particles on the right
  Value left_max;   ///< largest key on the left; meaningless if left == 0
  Value right_min;  ///< smallest key on the right; meaningless if right == 0
};

/// True for policies with `static constexpr bool divides_ties = true`: exactly `rank` particles of
/// a cell go left, and of equal keys those that come first. Their cells have the sizes that the
/// ranks say, whatever the keys, so such trees need not store them.
template <class Policy>
inline constexpr bool divides_ties = [] {
  if constexpr (requires { Policy::divides_ties; }) return Policy::divides_ties;
  return false;
}();

/// What the engine compares: the ordered key of a value; where ties are divided, followed by the
/// row, which makes every key of a cell unique. A double then keeps its upper 32 bits: the cut is
/// next to the wanted one, and still divides exactly.
template <class Policy>
using LevelKey =
    std::conditional_t<divides_ties<Policy>, std::uint64_t, OrderedKey<typename Policy::Value>>;

template <class Policy>
KOKKOS_FORCEINLINE_FUNCTION LevelKey<Policy> level_key(typename Policy::Value value, Count row) {
  const auto key = ordered_key(value);
  if constexpr (divides_ties<Policy>) {
    return (std::uint64_t{key >> (8 * sizeof(key) - 32)} << 32) | (row & 0xffffffffu);
  } else {
    return key;
  }
}

/// A value of the key, up to the bits that it keeps.
template <class Policy>
KOKKOS_FUNCTION typename Policy::Value value_of_level_key(LevelKey<Policy> key) {
  using Value = typename Policy::Value;
  if constexpr (divides_ties<Policy>) {
    using Key = OrderedKey<Value>;
    return from_ordered_key<Value>(
        static_cast<Key>(static_cast<Key>(key >> 32) << (8 * sizeof(Key) - 32)));
  } else {
    return from_ordered_key<Value>(key);
  }
}

/// Chooses the axis of an open cell, or whatever else its key needs.
template <class Policy, class PointSet>
KOKKOS_FUNCTION void prepare_cell(const Policy& policy, typename Policy::Cell& cell,
                                  std::uint32_t slot, const PointSet& points) {
  if constexpr (requires { policy.prepare(cell, slot, points); }) {
    policy.prepare(cell, slot, points);
  } else {
    policy.prepare(cell, slot);
  }
}

/// The position of a cut plane: the middle of [low, high], but below high, so that `x <= plane`
/// separates the two even when they are neighbouring numbers. Written so that no compiler can fuse
/// a multiplication with an addition, which would make backends disagree in the last bit.
template <class Value>
KOKKOS_INLINE_FUNCTION Value middle_below(Value low, Value high) {
  const double sum = static_cast<double>(low) + static_cast<double>(high);
  // The sum of two doubles can overflow; two floats in double cannot.
  const double middle = Kokkos::isfinite(sum)
                            ? sum * 0.5
                            : static_cast<double>(low) * 0.5 + static_cast<double>(high) * 0.5;
  const Value plane = static_cast<Value>(middle);
  return plane < high ? plane : low;
}

/// The largest key that goes left, given the key of the cell's rank and how it lies: the whole tie
/// goes to the side that leaves the left count nearer to the rank, right if both are equally near.
template <class Policy, class Key>
KOKKOS_FUNCTION Key choose_threshold(const Policy& policy, const typename Policy::Cell& cell,
                                     Count rank, const Selected<Key>& found) {
  const Count with_ties = found.below + found.equal;
  if constexpr (divides_ties<Policy>) return found.key;  // unique: ties are divided by row
  if (with_ties == rank) return found.key;
  const bool fewer_is_nearer = rank - found.below <= with_ties - rank;
  // An empty left side needs room for a plane between the cell's face and its particles.
  const bool fewer_is_possible = found.below > 0 || found.key > ordered_key(policy.lowest(cell));
  return fewer_is_nearer && fewer_is_possible ? static_cast<Key>(found.key - 1) : found.key;
}

/// The cells of one level, left to right, and per cell the cut that is wanted and found.
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
  Segments<MemorySpace> segments;          ///< their rows
  Array<Count> ranks;                      ///< [cells of the level]; 0: nothing to cut
  /// [cells of the level] Set by the search: the largest key that goes left. ~0 where there is
  /// nothing to cut, which sends every row left.
  Array<Key> threshold;
  Count rows = 0;  ///< bounds the sum of the cells' sizes

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

namespace detail {

/// Gives every open cell its axis, or whatever its policy prepares, its rows and its rank.
template <class LevelT, class PointSet>
struct PrepareCuts {
  LevelT level;
  PointSet points;
  KOKKOS_FUNCTION void operator()(Count s) const {
    const std::uint32_t slot = level.active(s);
    auto& cell = level.cells(slot);
    level.segments(s) = {cell.begin, cell.end};
    level.threshold(s) = static_cast<typename LevelT::Key>(~typename LevelT::Key{0});
    level.ranks(s) = 0;
    if (!level.policy.open(cell)) return;
    prepare_cell(level.policy, cell, slot, points);
    if (cell.begin == cell.end) return;
    const Count rank = level.policy.rank(cell);
    level.ranks(s) = rank == 0 ? 1 : rank;  // rank 0: what matters is the smallest key
  }
};

/// Gives the children of a cell their rows and extent.
template <class Policy, class Value>
KOKKOS_FUNCTION void split_rows_and_extent(const Policy& policy, typename Policy::Cell& cell,
                                           const Cut<Value>& cut, typename Policy::Cell& left,
                                           typename Policy::Cell& right) {
  left.begin = cell.begin;
  left.end = right.begin = cell.begin + cut.left;
  right.end = cell.end;
  policy.split(cell, cut, left, right);
}

/// Gives the children of the open cell in `slot` their rows and extent. `found` says what went
/// left: a PartitionSummary; it is not looked at if the cell is empty.
template <class LevelT, class Found>
KOKKOS_FUNCTION void split_cell(const LevelT& level, std::uint32_t slot, const Found& found) {
  using Value = typename LevelT::Value;
  auto& cell = level.cells(slot);
  Cut<Value> cut{0, 0, Value{}, Value{}};
  if (cell.begin < cell.end) {
    cut.left = found.left;
    cut.right = cell.end - cell.begin - found.left;
    if (cut.left > 0) cut.left_max = value_of_level_key<typename LevelT::Policy>(found.left_max);
    if (cut.right > 0) cut.right_min = value_of_level_key<typename LevelT::Policy>(found.right_min);
  }
  split_rows_and_extent(level.policy, cell, cut, level.cells(2 * slot), level.cells(2 * slot + 1));
}

template <class LevelT, class Summary>
struct SplitCells {
  LevelT level;
  Summary summary;

  KOKKOS_FUNCTION void operator()(Count s) const {
    const std::uint32_t slot = level.active(s);
    if (level.policy.open(level.cells(slot))) split_cell(level, slot, summary(s));
  }
};

/// The next level's active cells: two children for a cell that was cut, itself for a leaf.
template <class LevelT>
struct ListNextLevel {
  LevelT level;
  typename LevelT::template Array<std::uint32_t> next_active;
  typename LevelT::template Array<std::uint32_t> next_size;  ///< [1]
  KOKKOS_FUNCTION void operator()(Count s, std::uint32_t& sum, bool final) const {
    const std::uint32_t slot = level.active(s);
    const bool cut = level.policy.open(level.cells(slot));
    if (final) {
      next_active(sum) = cut ? 2 * slot : slot;
      if (cut) next_active(sum + 1) = 2 * slot + 1;
      if (s + 1 == level.active.extent(0)) next_size(0) = sum + (cut ? 2 : 1);
    }
    sum += cut ? 2 : 1;
  }
};

}  // namespace detail
}  // namespace copse
