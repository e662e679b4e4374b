#pragma once
/// \file
/// The two exchangeable parts of a level of bisection, and their best versions.
///
/// A *cut search* fills `level.threshold`:
///
///     struct Search {
///       template <class ExecutionSpace, class Keys, class LevelT, class Memory>
///       void operator()(const ExecutionSpace&, const Keys&, const LevelT&, Workspace<Memory>&);
///     };
///
/// for every cell s with `level.ranks(s) > 0`; `keys.segment(s)(row)` is the key of a row. Any
/// threshold serves that sends the same rows left as `level.choose_threshold` of the key of that
/// rank.
///
/// A *mover* brings the rows with key <= threshold of each cell to its front:
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
#include <copse/algorithms/segmented_partition.hpp>
#include <copse/algorithms/segmented_select.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {
template <class LevelT, class SelectionView>
struct ChooseThresholds {
  LevelT level;
  SelectionView selection;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (level.ranks(s) == 0) return;
    const auto& cell = level.cells(level.active(s));
    level.threshold(s) = level.choose_threshold(cell, level.policy.rank(cell), selection(s));
  }
};
}  // namespace detail

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
    Kokkos::parallel_for("copse::bisect::threshold",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
                         detail::ChooseThresholds<LevelT, decltype(selection)>{level, selection});
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

}  // namespace copse
