#pragma once
/// \file
/// The bisection engine: builds a tree by cutting all open cells of a level at once.
///
/// Every tree of the suite but the octree is a key, a rank and a partition, repeated level by level
/// ([Rehmann 2022] algorithm 1, turned from recursion into levels). The engine owns the loop and
/// the particles' order. A policy of a few lines says what the key is, how many particles go left
/// and what a cell remembers:
///
///     struct Policy {
///       using Cell = ...;              // has Count begin, end
///       using Value = Real;            // what is compared
///       bool open(const Cell&) const;                     // to be cut?
///       void prepare(Cell&, std::uint32_t slot) const;    // choose the axis of an open cell;
///                                                         // an optional third argument gets the
///                                                         // points
///       Count rank(const Cell&) const;                    // particles wanted left, ties aside
///       auto key(const Cell&, const Points&) const;       // functor: Value operator()(Count row)
///       Value lowest(const Cell&) const;                  // no key of the cell is smaller
///       void split(Cell&, const Cut<Value>&, Cell& left, Cell& right) const;
///                                                         // the children are copies of the cell
///                                                         // with their own rows
///       static constexpr bool divides_ties;               // optional; then no `lowest`
///     };
///
/// All members are device functions. Cells live in a 1-based heap.
///
/// Invariants after each level
///  - The active cells, leaves and cells still open, tile the rows [0, n) from left to right.
///  - Particles whose keys are equal stay on one side of a cut: the side that leaves the left count
///    nearer to `rank`, the smaller left count if both are equally near. (If the policy divides
///    ties, `rank` particles go left, and of equal keys those that came first.)
///  - Within a leaf, particles keep the order they came in (with a stable mover).
/// Together they make the tree and the order a function of the input alone.
///
/// How cuts are found and how rows are moved can be exchanged. A *cut search* fills
/// `level.threshold` for every cell s with `level.ranks(s) > 0`:
///
///     struct Search {
///       template <class ExecutionSpace, class Keys, class LevelT, class Memory>
///       void operator()(const ExecutionSpace&, const Keys&, const LevelT&, Workspace<Memory>&);
///     };
///
/// where `keys.segment(s)(row)` is the key of a row. Any threshold will do that sends the same rows
/// left as `level.choose_threshold` of the key of that rank. A *mover* brings the rows with key <=
/// threshold of each cell to its front:
///
///     struct Mover {
///       static constexpr bool in_place;
///       template <...>
///       auto operator()(const ExecutionSpace&, const Keys&, const LevelT&, const Columns<Ts...>&,
///                       Workspace<Memory>&);   // -> View<PartitionSummary<Key>*>, one per cell
///     };
///
/// and says how many went left and the keys on either side of the cut. Out of place, all rows of
/// all cells must be written to the columns' `to`; in place, their `from` is reordered.

#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>
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

/// True for policies with `static constexpr bool divides_ties = true`: exactly `rank` particles of
/// a cell go left, and of equal keys those that come first. The sizes of their cells depend on the
/// ranks alone, not on the keys, so such trees need not store them.
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

/// The value of a key, up to the bits that the key keeps.
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

/// The key of most policies: one coordinate of a particle.
struct CoordinateKey {
  const Real* column;
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(Count row) const { return column[row]; }
};

template <class PointSet>
KOKKOS_FUNCTION CoordinateKey coordinate_key(const PointSet& points, int axis) {
  return CoordinateKey{points.data() + points.stride(1) * axis};
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

/// The largest key that goes left, given the key of the cell's rank and how many keys lie below and
/// at it: the whole tie goes to the side that leaves the left count nearer to the rank, right if
/// both are equally near.
template <class Policy, class Key>
KOKKOS_FUNCTION Key choose_threshold(const Policy& policy, const typename Policy::Cell& cell,
                                     Count rank, const Selected<Key>& found) {
  const Count with_ties = found.below + found.equal;
  if constexpr (divides_ties<Policy>) {
    return found.key;
  } else {
    if (with_ties == rank) return found.key;
    const bool fewer_is_nearer = rank - found.below <= with_ties - rank;
    // An empty left side needs room for a plane between the cell's face and its particles.
    const bool fewer_is_possible = found.below > 0 || found.key > ordered_key(policy.lowest(cell));
    return fewer_is_nearer && fewer_is_possible ? static_cast<Key>(found.key - 1) : found.key;
  }
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

/// Prepares active cell s and sets its rows and its rank.
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
  level.ranks(s) = rank == 0 ? 1 : rank;  // rank 0: what matters is the smallest key
}

/// Gives the children of a cell their rows and extent.
template <class Policy, class Value>
KOKKOS_FUNCTION void make_children(const Policy& policy, typename Policy::Cell& cell,
                                   const Cut<Value>& cut, typename Policy::Cell& left,
                                   typename Policy::Cell& right) {
  left = right = cell;
  left.end = right.begin = cell.begin + cut.left;
  policy.split(cell, cut, left, right);
}

/// Gives the children of the open cell in `slot` their rows and extent. `found` is the cell's
/// PartitionSummary; it is not read if the cell is empty.
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

/// Finds cuts by segmented_select: exact, about one read of the keys.
struct SelectCuts {
  /// Bytes of the workspace for a level of `cells` cells of `rows` rows.
  template <class Key>
  static constexpr Count workspace_bytes(Count rows, Count cells) {
    return cells * sizeof(Selected<Key>) + select_workspace_bytes<Key>(rows, cells);
  }

  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace>
  void operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  Workspace<MemorySpace>& workspace) const {
    using Key = typename LevelT::Key;
    const Count n = level.segments.extent(0);
    const auto selection = workspace.template get<Selected<Key>>("select_cuts::selection", n);
    segmented_select(space, keys, level.segments, level.ranks, level.rows, selection, workspace);
    Kokkos::parallel_for(
        "copse::bisect::threshold", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
        KOKKOS_LAMBDA(Count s) {
          if (level.ranks(s) == 0) return;
          const auto& cell = level.cells(level.active(s));
          level.threshold(s) = level.choose_threshold(cell, level.policy.rank(cell), selection(s));
        });
  }
};

/// Moves rows by segmented_partition: stable, out of place.
struct MoveStably {
  static constexpr bool in_place = false;

  /// Bytes of the workspace for a level of `cells` cells of `rows` rows.
  template <class Key>
  static constexpr Count workspace_bytes(Count rows, Count cells) {
    return partition_workspace_bytes<Key>(rows, cells);
  }

  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace, class... Ts>
  auto operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  const Columns<Ts...>& columns, Workspace<MemorySpace>& workspace) const {
    const auto plan =
        plan_partition(space, keys, level.segments, level.threshold, level.rows, workspace);
    run_partition(space, keys, plan, columns);
    return plan.summary;
  }
};

/// permutation(i) = i: the order before anything moved.
template <class ExecutionSpace, class Permutation>
void number_rows(const ExecutionSpace& space, const Permutation& permutation) {
  LocalIndex* const out = permutation.data();
  Kokkos::parallel_for(
      "copse::bisect::number_rows",
      Kokkos::RangePolicy<ExecutionSpace>(space, 0, permutation.extent(0)),
      KOKKOS_LAMBDA(Count i) { out[i] = static_cast<LocalIndex>(i); });
}

/// What an engine reorders, and the room it needs to do so: points, and a column that moves along.
/// `Row` is the permutation's element: a row's index before, and whatever else travels with it. An
/// engine swaps the handles after every movement, so the result is in `points` and `permutation`
/// and the spares hold junk.
template <int Dim, class MemorySpace, class RowType = LocalIndex>
struct BisectionArrays {
  using Row = RowType;
  static constexpr int dim = Dim;
  Points<Dim, MemorySpace>& points;
  Points<Dim, MemorySpace>& spare_points;
  Kokkos::View<Row*, MemorySpace>& permutation;
  Kokkos::View<Row*, MemorySpace>& spare_permutation;

  Row* rows() const { return permutation.data(); }
  Row* spare_rows() const { return spare_permutation.data(); }
  /// Everything that moves, for segmented_partition.
  auto columns() const {
    return with_points(with_column(no_columns(), permutation, spare_permutation), points,
                       spare_points);
  }
  void swap() const {
    std::swap(points, spare_points);
    std::swap(permutation, spare_permutation);
  }
  /// To be called before the first movement: sets each row to its index.
  template <class ExecutionSpace>
  void number(const ExecutionSpace& space) const {
    number_rows(space, permutation);
  }
};

/// Points alone, which then cannot tell where they came from: a quarter fewer bytes to keep and to
/// move.
template <int Dim, class MemorySpace>
struct PointArrays {
  using Row = LocalIndex;
  static constexpr int dim = Dim;
  Points<Dim, MemorySpace>& points;
  Points<Dim, MemorySpace>& spare_points;

  static Row* rows() { return nullptr; }
  static Row* spare_rows() { return nullptr; }
  auto columns() const { return with_points(no_columns(), points, spare_points); }
  void swap() const { std::swap(points, spare_points); }
  template <class ExecutionSpace>
  void number(const ExecutionSpace&) const {}
};

/// Heap slots of the cells of a level, or of another frontier that tiles the rows.
template <class MemorySpace>
using FrontierSlots = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;

/// Cuts open cells level by level, at most `levels` times, starting from the `size` cells whose
/// heap slots stand in `active`, which must tile the rows from left to right. `active` and
/// `next_active` need room for the last level's cells. `cells` must have a slot for every cell of
/// the finished tree; slots the tree does not reach are not touched. The spares of `arrays` are not
/// used if the mover works in place.
///
/// With the default strategies: work O(n levels); bytes per row and level: the key three times, the
/// points and the index in and out (44 for three floats and an index); about 3 to 10 host
/// synchronisations a level.
template <class ExecutionSpace, class Policy, class Arrays, class Search = SelectCuts,
          class Mover = MoveStably>
void bisect_frontier(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace,
    FrontierSlots<typename ExecutionSpace::memory_space> active,
    FrontierSlots<typename ExecutionSpace::memory_space> next_active, std::uint32_t size,
    Search&& search = {}, Mover&& mover = {}) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using PointSet = std::remove_cvref_t<decltype(arrays.points)>;
  using LevelT = TreeLevel<MemorySpace, Policy>;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;

  LevelT level;
  level.policy = policy;
  level.cells = cells;
  level.rows = arrays.points.extent(0);
  const auto next_size = workspace.template get<std::uint32_t>("bisect::next_size", 1);
  for (int depth = 0; depth < levels; ++depth) {
    level.active = Kokkos::subview(active, std::make_pair(std::uint32_t{0}, size));
    level.segments = workspace.template get<Segment>("bisect::segments", size);
    level.ranks = workspace.template get<Count>("bisect::ranks", size);
    level.threshold = workspace.template get<typename LevelT::Key>("bisect::threshold", size);

    using Keys = LevelKeys<Policy, PointSet, decltype(level.cells), decltype(level.active)>;
    const Keys keys{policy, arrays.points, level.cells, level.active};
    const PointSet points = arrays.points;
    Kokkos::parallel_for(
        "copse::bisect::prepare", Range(space, 0, size),
        KOKKOS_LAMBDA(Count s) { prepare_cut(level, points, s); });
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::select");
      search(space, keys, level, workspace);
    }
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::partition");
      const auto summary = mover(space, keys, level, arrays.columns(), workspace);
      Kokkos::parallel_for(
          "copse::bisect::split", Range(space, 0, size), KOKKOS_LAMBDA(Count s) {
            const std::uint32_t slot = level.active(s);
            if (level.policy.open(level.cells(slot))) split_cell(level, slot, summary(s));
          });
    }
    // The next level's active cells: two children for a cell that was cut, itself for a leaf.
    Kokkos::parallel_scan(
        "copse::bisect::next_level", Range(space, 0, size),
        KOKKOS_LAMBDA(Count s, std::uint32_t & sum, bool final) {
          const std::uint32_t slot = level.active(s);
          const bool cut = level.policy.open(level.cells(slot));
          if (final) {
            next_active(sum) = cut ? 2 * slot : slot;
            if (cut) next_active(sum + 1) = 2 * slot + 1;
            if (s + 1 == level.active.extent(0)) next_size(0) = sum + (cut ? 2 : 1);
          }
          sum += cut ? 2 : 1;
        });
    if (!std::remove_cvref_t<Mover>::in_place) arrays.swap();
    std::uint32_t next = 0;
    Kokkos::View<std::uint32_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&next);
    Kokkos::deep_copy(space, host, Kokkos::subview(next_size, 0));
    space.fence("copse::bisect::next_level");
    if (next == size) break;  // nothing was open
    size = next;
    std::swap(active, next_active);
  }
}

/// As bisect_frontier, starting from the cell in slot 1 of `cells`, which must cover all rows.
template <class ExecutionSpace, class Policy, class Arrays, class Search = SelectCuts,
          class Mover = MoveStably>
void bisect(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace,
    Search&& search = {}, Mover&& mover = {}) {
  const Count most = Count{1} << levels;
  const auto active = workspace.template get<std::uint32_t>("bisect::active", most);
  const auto next_active = workspace.template get<std::uint32_t>("bisect::next_active", most);
  Kokkos::deep_copy(space, Kokkos::subview(active, std::make_pair(0, 1)), std::uint32_t{1});
  bisect_frontier(space, policy, cells, levels, arrays, workspace, active, next_active, 1, search,
                  mover);
}

/// The most cells of a level that are cut in a tree of so many levels.
constexpr Count most_cells_cut(int levels) {
  return levels > 0 ? Count{1} << (levels - 1) : 0;
}

/// Bytes of the workspace that bisect takes for so many levels beside those of its search and its
/// mover (`workspace_bytes`).
constexpr Count level_arrays_bytes(int levels) {
  return (Count{2} << levels) * sizeof(std::uint32_t) +
         most_cells_cut(levels) * (sizeof(Segment) + sizeof(Count) + sizeof(OrderedKey<Real>));
}

}  // namespace copse
