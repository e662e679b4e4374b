#pragma once
/// \file
/// The bisection engine: builds a tree level by level, cutting all open cells of a level at once.
///
/// Every tree of the suite but the octree consists of a key, a rank and a partition, repeated level
/// by level ([Rehmann 2022] algorithm 1, with levels instead of recursion). The engine owns the
/// loop and the order of the particles. A short policy defines the key, the number of particles
/// that go left and the state of a cell:
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
///  - The active cells (leaves and open cells) tile the particles [0, n) from left to right.
///  - Particles with equal keys stay on one side of a cut: the side that brings the left count
///    nearer to `rank`, or the smaller left count if both are equally near. (If the policy divides
///    ties, exactly `rank` particles go left, and of equal keys the first ones.)
///  - Within a leaf, particles keep their input order (with a stable mover).
/// Together these make the tree and the order a function of the input alone.
///
/// The cut search and the mover are exchangeable. A *cut search* fills `level.threshold` for every
/// cell s with `level.ranks(s) > 0`:
///
///     struct Search {
///       template <class ExecutionSpace, class Keys, class LevelT, class Memory>
///       void operator()(const ExecutionSpace&, const Keys&, const LevelT&, Workspace<Memory>&);
///     };
///
/// where `keys.segment(s)(row)` is the key of a particle. Any threshold is valid that sends the
/// same particles left as `level.choose_threshold` of the key of that rank. A *mover* moves the
/// particles with key <= threshold of each cell to its front:
///
///     struct Mover {
///       static constexpr bool in_place;
///       template <...>
///       auto operator()(const ExecutionSpace&, const Keys&, const LevelT&, const Columns<Ts...>&,
///                       Workspace<Memory>&);   // -> View<PartitionSummary<Key>*>, one per cell
///     };
///
/// and returns how many went left and the keys on either side of the cut. Out of place, it must
/// write all particles of all cells to the columns' `to`; in place, it reorders their `from`.

#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <type_traits>
#include <utility>

namespace copse {

namespace detail {

template <class LevelT, class PointSet>
struct PrepareCuts {
  LevelT level;
  PointSet points;
  KOKKOS_FUNCTION void operator()(Count s) const { prepare_cut(level, points, s); }
};

template <class LevelT, class SelectionView>
struct ChooseThresholds {
  LevelT level;
  SelectionView found;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (level.ranks(s) == 0) return;
    const auto& cell = level.cells(level.active(s));
    level.threshold(s) = level.choose_threshold(cell, level.policy.rank(cell), found(s));
  }
};

template <class LevelT, class Summaries>
struct SplitCells {
  LevelT level;
  Summaries summary;
  KOKKOS_FUNCTION void operator()(Count s) const {
    const std::uint32_t slot = level.active(s);
    if (level.policy.open(level.cells(slot))) split_cell(level, slot, summary(s));
  }
};

/// Lists the next level's active cells: the two children of a cut cell, a leaf itself.
template <class LevelT, class Slots, class Size>
struct ListNextLevel {
  LevelT level;
  Slots next_active;
  Size next_size;
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

/// Finds cuts by segmented_select: exact, about one read of the keys.
struct SelectCuts {
  /// Workspace bytes for a level of `cells` cells and `rows` particles.
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
    Kokkos::parallel_for("copse::bisect::threshold",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
                         detail::ChooseThresholds<LevelT, std::remove_const_t<decltype(selection)>>{
                             level, selection});
  }
};

/// Moves particles by segmented_partition: stable, out of place.
struct MoveStably {
  static constexpr bool in_place = false;

  /// Workspace bytes for a level of `cells` cells and `rows` particles.
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

/// The arrays an engine reorders, with spares of equal size: points, and a column that moves with
/// them. `Row` is the permutation's element: a particle's input index, and any data that travels
/// with it. An engine swaps the handles after every move, so the result is in `points` and
/// `permutation`, and the spares are undefined.
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
  /// All columns that move, for segmented_partition.
  auto columns() const {
    return with_points(with_column(no_columns(), permutation, spare_permutation), points,
                       spare_points);
  }
  void swap() const {
    std::swap(points, spare_points);
    std::swap(permutation, spare_permutation);
  }
  /// Sets each particle's index. Call before the first move.
  template <class ExecutionSpace>
  void number(const ExecutionSpace& space) const {
    number_rows("copse::bisect::number_rows", space, permutation);
  }
};

/// Points without a permutation: their origin is lost, with a quarter fewer bytes to store and
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

/// Heap slots of the cells of a level, or of another frontier that tiles the particles.
template <class MemorySpace>
using FrontierSlots = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;

/// The frontier of the root alone, and room for the next one, in a tree of `levels` levels.
template <class ExecutionSpace, class MemorySpace>
std::pair<FrontierSlots<MemorySpace>, FrontierSlots<MemorySpace>> root_frontier(
    const ExecutionSpace& space, int levels, Workspace<MemorySpace>& workspace) {
  const Count most = Count{1} << levels;
  const auto active = workspace.template get<std::uint32_t>("bisect::active", most);
  const auto next_active = workspace.template get<std::uint32_t>("bisect::next_active", most);
  Kokkos::deep_copy(space, Kokkos::subview(active, std::make_pair(0, 1)), std::uint32_t{1});
  return {active, next_active};
}

/// Cuts open cells level by level, at most `levels` times, starting from the `size` cells with the
/// heap slots `active`, which must tile the particles from left to right. `active` and
/// `next_active` must have room for the last level's cells. `cells` must have a slot for every cell
/// of the finished tree; slots the tree does not reach are not touched. The spares of `arrays` are
/// not used if the mover works in place.
///
/// With the default strategies: O(n levels); bytes per particle and level: the key three times, the
/// points and the index in and out (44 for three floats and an index); about 3 to 10 host
/// synchronisations per level.
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
    Kokkos::parallel_for("copse::bisect::prepare", Range(space, 0, size),
                         detail::PrepareCuts<LevelT, PointSet>{level, points});
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::select");
      search(space, keys, level, workspace);
    }
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::partition");
      const auto summary = mover(space, keys, level, arrays.columns(), workspace);
      Kokkos::parallel_for(
          "copse::bisect::split", Range(space, 0, size),
          detail::SplitCells<LevelT, std::remove_const_t<decltype(summary)>>{level, summary});
    }
    Kokkos::parallel_scan("copse::bisect::next_level", Range(space, 0, size),
                          detail::ListNextLevel<LevelT, FrontierSlots<MemorySpace>,
                                                std::remove_const_t<decltype(next_size)>>{
                              level, next_active, next_size});
    if (!std::remove_cvref_t<Mover>::in_place) arrays.swap();
    std::uint32_t next = 0;
    Kokkos::View<std::uint32_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(&next);
    Kokkos::deep_copy(space, host, Kokkos::subview(next_size, 0));
    space.fence("copse::bisect::next_level");
    if (next == size) break;  // no cell was open
    size = next;
    std::swap(active, next_active);
  }
}

/// As bisect_frontier, starting from the cell in slot 1 of `cells`, which must hold all particles.
template <class ExecutionSpace, class Policy, class Arrays, class Search = SelectCuts,
          class Mover = MoveStably>
void bisect(
    const ExecutionSpace& space, const Policy& policy,
    const Kokkos::View<typename Policy::Cell*, typename ExecutionSpace::memory_space>& cells,
    int levels, const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace,
    Search&& search = {}, Mover&& mover = {}) {
  const auto [active, next_active] = root_frontier(space, levels, workspace);
  bisect_frontier(space, policy, cells, levels, arrays, workspace, active, next_active, 1, search,
                  mover);
}

/// Maximum number of cells cut in one level of a tree with `levels` levels.
constexpr Count most_cells_cut(int levels) {
  return levels > 0 ? Count{1} << (levels - 1) : 0;
}

/// Workspace bytes of bisect for `levels` levels, without those of its search and its mover
/// (`workspace_bytes`).
constexpr Count level_arrays_bytes(int levels) {
  return (Count{2} << levels) * sizeof(std::uint32_t) +
         most_cells_cut(levels) * (sizeof(Segment) + sizeof(Count) + sizeof(OrderedKey<Real>));
}

}  // namespace copse
