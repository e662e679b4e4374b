#pragma once
/// \file
/// segmented_partition: reorders the rows of every segment so that those with key <= threshold come
/// first, stably, out of place, for all segments in one sequence of launches.
///
/// Two passes. `plan_partition` reads the keys, counts the left rows of each tile and scans the
/// counts, which gives the destinations of every tile. It also finds the largest key on the left
/// and the smallest on the right, between which the cut plane lies. `run_partition` reads the keys
/// again and moves all columns. Stability makes the result unique: it does not depend on tiles,
/// threads or backend, and repeated over the levels of a tree it is the stable sort of the rows by
/// leaf.
///
/// Bytes per row: the key twice, and every column read once and written once (4 + 4 + 2 * 16 for
/// float positions with a 32-bit index).

#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/detail/partition_kernels.hpp>
#include <copse/algorithms/partition_plan.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse {

/// Plans the partition of every segment by `key <= threshold(s)`; a threshold of ~0 sends the whole
/// segment left, which copies it unchanged. `keys` as for segmented_select; `rows` bounds the sum
/// of the segment sizes. Segments must not overlap. Work O(rows + segments), one read of the keys.
/// The plan's arrays belong to `workspace` and are valid until the next plan.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key>
PartitionPlan<MemorySpace, Key> plan_partition(
    const ExecutionSpace& space, const Keys& keys, const Segments<MemorySpace>& segments,
    const Kokkos::View<Key*, Kokkos::LayoutLeft, MemorySpace>& threshold, Count rows,
    Workspace<MemorySpace>& workspace) {
  const Count n = segments.extent(0);
  PartitionPlan<MemorySpace, Key> plan;
  plan.threshold = threshold;
  plan.tiles = make_tiles(space, segments, rows, n, workspace, "partition");
  plan.summary = workspace.template get<PartitionSummary<Key>>("partition::summary", n);
  plan.left_before = workspace.template get<Count>("partition::left_before", plan.tiles.bound + 1);
  if (n == 0) return plan;
  using Policy = Kokkos::RangePolicy<ExecutionSpace>;
  Kokkos::parallel_for("copse::partition::begin", Policy(space, 0, n),
                       detail::BeginPartition<MemorySpace, Key>{plan});
  detail::launch_count(space, keys, plan);
  exclusive_scan(space,
                 Kokkos::subview(plan.left_before, std::make_pair(Count{0}, plan.tiles.bound)),
                 plan.left_before);
  Kokkos::parallel_for("copse::partition::totals", Policy(space, 0, n),
                       detail::SumLeft<MemorySpace, Key>{plan});
  return plan;
}

/// Bytes of the workspace for a plan.
template <class Key>
constexpr Count partition_workspace_bytes(Count rows, Count segments) {
  return tile_table_bytes(segments, rows, segments) + segments * sizeof(PartitionSummary<Key>) +
         (rows / tile_size + segments + 1) * sizeof(Count);
}

/// Moves the rows of every segment of `plan` in all `columns` (see columns.hpp). Rows of the `to`
/// arrays outside the segments are not written. `keys` must give the keys of the `from` rows.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key, class... Ts>
void run_partition(const ExecutionSpace& space, const Keys& keys,
                   const PartitionPlan<MemorySpace, Key>& plan, const Columns<Ts...>& columns) {
  if (plan.tiles.bound == 0) return;
  detail::launch_move(space, keys, plan, columns);
}

}  // namespace copse
