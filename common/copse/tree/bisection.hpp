#pragma once
/// \file
/// The bisection engine: builds a tree by cutting all open cells of a level at once.
///
/// Every tree of the suite but the octree is a key, a rank and a partition, repeated level by level
/// (seed 000 algorithm 1, turned from recursion into levels). The engine owns the loop and the
/// particles' order; a policy of a few lines says what the key is, how many particles go left and
/// what a cell remembers:
///
///     struct Policy {
///       using Cell = ...;              // has Count begin, end
///       using Value = Real;            // what is compared
///       bool open(const Cell&) const;                     // to be cut?
///       Count rank(const Cell&) const;                    // particles wanted left, ties aside
///       auto key(const Cell&, const Points&) const;       // functor: Value operator()(Count row)
///       Value lowest(const Cell&) const;                  // no key of the cell is smaller
///       void split(Cell&, const Cut<Value>&, Cell& left, Cell& right) const;
///     };
///
/// All members are device functions. Cells live in a 1-based heap.
///
/// Invariants after each level
///  - The active cells, leaves and cells still open, tile the rows [0, n) from left to right.
///  - Particles whose keys are equal stay on one side of a cut: the side that leaves the left count
///    nearer to `rank`, the smaller left count if both are equally near.
///  - Within a leaf, particles keep the order they came in.
/// Together they make the tree and the order a function of the input alone.

#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <utility>

namespace copse {

/// A cut the engine has made: what the policy needs to give the children their extent.
template <class Value>
struct Cut {
  Count left;       ///< particles on the left
  Count right;      ///< particles on the right
  Value left_max;   ///< largest key on the left; meaningless if left == 0
  Value right_min;  ///< smallest key on the right; meaningless if right == 0
};

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

namespace detail {

/// Keys of one level: each segment is an active cell.
template <class Policy, class PointSet, class Cells, class Active>
struct LevelKeys {
  Policy policy;
  PointSet points;
  Cells cells;
  Active active;

  template <class ValueOf>
  struct Ordered {
    ValueOf value;
    KOKKOS_FORCEINLINE_FUNCTION auto operator()(Count row) const { return ordered_key(value(row)); }
  };

  KOKKOS_FUNCTION auto segment(Count s) const {
    auto value = policy.key(cells(active(s)), points);
    return Ordered<decltype(value)>{value};
  }
};

template <class MemorySpace, class Policy>
struct Level {
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Key = OrderedKey<Value>;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Policy policy;
  Kokkos::View<Cell*, MemorySpace> cells;
  Array<std::uint32_t> active;       ///< heap slots of this level's cells, left to right
  Array<std::uint32_t> next_active;  ///< of the next level's
  Array<std::uint32_t> next_size;    ///< [1]
  Segments<MemorySpace> segments;
  Array<Count> ranks;
  Array<Key> threshold;
  Selection<MemorySpace, Key> selection;
};

template <class LevelT>
struct PrepareCuts {
  LevelT level;
  KOKKOS_FUNCTION void operator()(Count s) const {
    const auto& cell = level.cells(level.active(s));
    level.segments(s) = {cell.begin, cell.end};
    if (!level.policy.open(cell) || cell.begin == cell.end) {
      level.ranks(s) = 0;
      return;
    }
    const Count rank = level.policy.rank(cell);
    level.ranks(s) = rank == 0 ? 1 : rank;  // rank 0: what matters is the smallest key
  }
};

/// Chooses the side of the tie: the largest key that goes left.
template <class LevelT>
struct ChooseThresholds {
  using Key = typename LevelT::Key;
  LevelT level;

  KOKKOS_FUNCTION void operator()(Count s) const {
    level.threshold(s) = static_cast<Key>(~Key{0});
    if (level.ranks(s) == 0) return;
    const auto& cell = level.cells(level.active(s));
    const Count rank = level.policy.rank(cell);
    const auto found = level.selection(s);
    const Count with_ties = found.below + found.equal;
    const bool fewer_is_nearer = rank - found.below <= with_ties - rank;
    // An empty left side needs room for a plane between the cell's face and its particles.
    const bool fewer_is_possible =
        found.below > 0 || found.key > ordered_key(level.policy.lowest(cell));
    const bool exact = with_ties == rank;
    level.threshold(s) = !exact && fewer_is_nearer && fewer_is_possible
                             ? static_cast<Key>(found.key - 1)
                             : found.key;
  }
};

template <class LevelT, class Summary>
struct SplitCells {
  using Value = typename LevelT::Value;
  LevelT level;
  Summary summary;

  KOKKOS_FUNCTION void operator()(Count s) const {
    const std::uint32_t slot = level.active(s);
    auto& cell = level.cells(slot);
    if (!level.policy.open(cell)) return;
    Cut<Value> cut{0, 0, Value{}, Value{}};
    if (cell.begin < cell.end) {
      const auto found = summary(s);
      cut.left = found.left;
      cut.right = cell.end - cell.begin - found.left;
      if (cut.left > 0) cut.left_max = from_ordered_key<Value>(found.left_max);
      if (cut.right > 0) cut.right_min = from_ordered_key<Value>(found.right_min);
    }
    auto& left = level.cells(2 * slot);
    auto& right = level.cells(2 * slot + 1);
    left.begin = cell.begin;
    left.end = right.begin = cell.begin + cut.left;
    right.end = cell.end;
    level.policy.split(cell, cut, left, right);
  }
};

/// The next level's active cells: two children for a cell that was cut, itself for a leaf.
template <class LevelT>
struct ListNextLevel {
  LevelT level;
  KOKKOS_FUNCTION void operator()(Count s, std::uint32_t& sum, bool final) const {
    const std::uint32_t slot = level.active(s);
    const bool cut = level.policy.open(level.cells(slot));
    if (final) {
      level.next_active(sum) = cut ? 2 * slot : slot;
      if (cut) level.next_active(sum + 1) = 2 * slot + 1;
      if (s + 1 == level.active.extent(0)) level.next_size(0) = sum + (cut ? 2 : 1);
    }
    sum += cut ? 2 : 1;
  }
};

}  // namespace detail

/// What `bisect` reorders and what it needs to do so: both sets are handles that the engine swaps
/// after every level, so the result is in `points` and `permutation` and the spares hold junk.
template <int Dim, class MemorySpace>
struct BisectionArrays {
  Points<Dim, MemorySpace>& points;
  Points<Dim, MemorySpace>& spare_points;
  Kokkos::View<LocalIndex*, MemorySpace>& permutation;
  Kokkos::View<LocalIndex*, MemorySpace>& spare_permutation;
};

/// Cuts open cells level by level, at most `levels` times, starting from the cell in slot 1 of
/// `cells`, which must cover all rows. `cells` must have 2^(levels+1) slots; slots the tree does
/// not reach are not touched. `permutation` is moved along with the points.
///
/// Work O(n levels). Bytes per row and level: the key three times, the points and the index in and
/// out (44 for three floats and an index). Host synchronisations: about 3 to 10 a level.
template <class ExecutionSpace, int Dim, class Policy>
void bisect(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, BisectionArrays<Dim, typename ExecutionSpace::memory_space> arrays,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using LevelT = detail::Level<MemorySpace, Policy>;
  using Key = typename LevelT::Key;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Count rows = arrays.points.extent(0);
  const Count most = Count{1} << levels;

  LevelT level;
  level.policy = policy;
  level.cells = cells;
  level.next_size = workspace.template get<std::uint32_t>("bisect::next_size", 1);
  auto active = workspace.template get<std::uint32_t>("bisect::active", most);
  auto next_active = workspace.template get<std::uint32_t>("bisect::next_active", most);
  Kokkos::deep_copy(space, Kokkos::subview(active, std::make_pair(0, 1)), std::uint32_t{1});

  std::uint32_t size = 1;
  for (int depth = 0; depth < levels; ++depth) {
    level.active = Kokkos::subview(active, std::make_pair(std::uint32_t{0}, size));
    level.next_active = next_active;
    level.segments = workspace.template get<Segment>("bisect::segments", size);
    level.ranks = workspace.template get<Count>("bisect::ranks", size);
    level.threshold = workspace.template get<Key>("bisect::threshold", size);
    level.selection = workspace.template get<Selected<Key>>("bisect::selection", size);

    using Keys = detail::LevelKeys<Policy, Points<Dim, MemorySpace>, decltype(level.cells),
                                   decltype(level.active)>;
    const Keys keys{policy, arrays.points, level.cells, level.active};
    Kokkos::parallel_for("copse::bisect::prepare", Range(space, 0, size),
                         detail::PrepareCuts<LevelT>{level});
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::select");
      segmented_select(space, keys, level.segments, level.ranks, rows, level.selection, workspace);
    }
    Kokkos::parallel_for("copse::bisect::threshold", Range(space, 0, size),
                         detail::ChooseThresholds<LevelT>{level});
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::partition");
      const auto plan =
          plan_partition(space, keys, level.segments, level.threshold, rows, workspace);
      run_partition(
          space, keys, plan,
          with_points(with_column(no_columns(), arrays.permutation, arrays.spare_permutation),
                      arrays.points, arrays.spare_points));
      Kokkos::parallel_for("copse::bisect::split", Range(space, 0, size),
                           detail::SplitCells<LevelT, decltype(plan.summary)>{level, plan.summary});
    }
    Kokkos::parallel_scan("copse::bisect::next_level", Range(space, 0, size),
                          detail::ListNextLevel<LevelT>{level});
    std::swap(arrays.points, arrays.spare_points);
    std::swap(arrays.permutation, arrays.spare_permutation);
    std::uint32_t next = 0;
    Kokkos::View<std::uint32_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&next);
    Kokkos::deep_copy(space, host, Kokkos::subview(level.next_size, 0));
    space.fence("copse::bisect::next_level");
    if (next == size) break;  // nothing was open
    size = next;
    std::swap(active, next_active);
  }
}

}  // namespace copse
