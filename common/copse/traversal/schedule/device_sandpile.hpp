#pragma once
/// \file
/// The sandpile's order without leaving the device: one stable sort per 64 top leaves.
///
/// The sandpile (`sandpile.hpp`) splits stably by one column after the other. That is a radix sort
/// from the least significant digit, so after columns 0 to 63 the order is that of a stable sort by
/// the 64-bit key whose bit c is *clear* if leaf c was reached; which is the complement of a word
/// of the visit matrix, as it stands. Stable sorts by word 0, then 1, and so on therefore give the
/// paper's schedule, query for query, and the vendor's radix sort looks at 8 columns a pass instead
/// of one. The matrix is not copied to the host, nor the order back.
///
/// Everything rests on the sort being stable. `sort_by_key` promises that: on host backends by its
/// own passes. For CUDA, Kokkos calls thrust::sort_by_key, whose documentation promises no
/// stability, but whose implementation hands arithmetic keys with the default comparison to
/// cub::DeviceRadixSort (thrust/system/cuda/detail/sort.h, can_use_primitive_sort), which is
/// documented as stable. Tests of this file and of the sort compare every backend with
/// std::stable_sort. A backend without the property would need unique keys: 32 columns in the upper
/// half of the key, the query's place before the sort in the lower.

#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

namespace detail {
template <class MemorySpace>
struct UnvisitedKeys {
  ConstVisitMatrix<MemorySpace> visits;
  const LocalIndex* order;
  VisitWord* keys;
  VisitWord columns;  ///< a set bit for every column of this word
  Count word;
  KOKKOS_FUNCTION void operator()(Count i) const { keys[i] = ~visits(order[i], word) & columns; }
};
}  // namespace detail

/// The same `order` as `sandpile` of the same arguments, on any backend. `order` has as many
/// elements as `visits` has rows and need not be set.
///
/// ceil(columns / 64) sorts of `queries` 64-bit keys. Workspace: 8 bytes a query, and what the sort
/// needs.
template <class ExecutionSpace>
void device_sandpile(const ExecutionSpace& space,
                     const ConstVisitMatrix<typename ExecutionSpace::memory_space>& visits,
                     Count columns,
                     const ScheduleView<typename ExecutionSpace::memory_space>& order,
                     Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = order.extent(0);
  const auto keys = workspace.template get<VisitWord>("schedule::keys", n);
  input_order(space, order);
  for (Count w = 0; w < visit_words(columns); ++w) {
    const Count here = std::min(columns - w * visit_word_columns, visit_word_columns);
    const VisitWord mask = ~VisitWord{0} >> (visit_word_columns - here);
    Kokkos::parallel_for(
        "copse::schedule::unvisited", Kokkos::RangePolicy<ExecutionSpace>(space, 0, n),
        detail::UnvisitedKeys<MemorySpace>{visits, order.data(), keys.data(), mask, w});
    sort_by_key(space, keys, order, workspace, static_cast<int>(here));
  }
}

}  // namespace copse
