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
///       void prepare(Cell&, std::uint32_t slot) const;    // choose the axis of an open cell;
///                                                         // a third argument gets the points
///       Count rank(const Cell&) const;                    // particles wanted left, ties aside
///       auto key(const Cell&, const Points&) const;       // functor: Value operator()(Count row)
///       Value lowest(const Cell&) const;                  // no key of the cell is smaller
///       void split(Cell&, const Cut<Value>&, Cell& left, Cell& right) const;
///       static constexpr bool divides_ties;               // optional, see tree_level.hpp
///     };
///
/// All members are device functions. Cells live in a 1-based heap. How cuts are found and rows are
/// moved can be exchanged (level_strategies.hpp).
///
/// Invariants after each level
///  - The active cells, leaves and cells still open, tile the rows [0, n) from left to right.
///  - Particles whose keys are equal stay on one side of a cut: the side that leaves the left count
///    nearer to `rank`, the smaller left count if both are equally near. (If the policy divides
///    ties, `rank` particles go left, and of equal keys those that came first.)
///  - Within a leaf, particles keep the order they came in (with a stable mover).
/// Together they make the tree and the order a function of the input alone.

#include <copse/algorithms/workspace.hpp>
#include <copse/tree/bisection_arrays.hpp>
#include <copse/tree/level_strategies.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <utility>

namespace copse {

/// Heap slots of the cells of a level, or of another frontier that tiles the rows.
template <class MemorySpace>
using FrontierSlots = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;

/// Cuts open cells level by level, at most `levels` times, starting from the `size` cells whose
/// heap slots stand in `active`, which must tile the rows from left to right. `active` and
/// `next_active` need room for the last level's cells. `cells` must have a slot for every cell of
/// the finished tree; slots the tree does not reach are not touched. What moves is said in
/// bisection_arrays.hpp. The spares are not used if the mover works in place.
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
    Kokkos::parallel_for("copse::bisect::prepare", Range(space, 0, size),
                         detail::PrepareCuts<LevelT, PointSet>{level, arrays.points});
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::select");
      search(space, keys, level, workspace);
    }
    {
      Kokkos::Profiling::ScopedRegion region("copse::bisect::partition");
      const auto summary = mover(space, keys, level, arrays.columns(), workspace);
      Kokkos::parallel_for("copse::bisect::split", Range(space, 0, size),
                           detail::SplitCells<LevelT, decltype(summary)>{level, summary});
    }
    Kokkos::parallel_scan("copse::bisect::next_level", Range(space, 0, size),
                          detail::ListNextLevel<LevelT>{level, next_active, next_size});
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

}  // namespace copse
