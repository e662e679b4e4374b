#pragma once
/// \file
/// The leaves of an octree as buckets of targets for the walk engine.

#include "body_tree.hpp"
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// The first of ascending targets that is not before a row.
template <class MemorySpace>
KOKKOS_FUNCTION Count first_target(const QueryList<MemorySpace>& targets, Count row) {
  if (targets.order.extent(0) == 0) return row;
  Count low = 0, high = targets.count;
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    if (targets(middle) < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Consecutive targets that walk together: those of a leaf, or pieces of `width` of a leaf with
/// more. In tree order, without overlap; together they hold every target.
template <class ExecutionSpace>
BucketList<typename ExecutionSpace::memory_space> leaf_buckets(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    int width) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const QueryList<MemorySpace> targets = bodies.targets;
  const Count n = targets.count;
  const auto step = static_cast<LocalIndex>(width);
  const Kokkos::View<std::uint8_t*, MemorySpace> begins("copse::gravity::bucket_begins", n);
  const auto nodes = bodies.octree.nodes;
  Kokkos::parallel_for(
      "copse::gravity::mark_buckets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, nodes.extent(0)),
      KOKKOS_LAMBDA(const Count i) {
        const OctreeNode node = nodes(i);
        if (!node.is_leaf()) return;
        const Count end = first_target(targets, node.end);
        for (Count t = first_target(targets, node.begin); t < end; t += step) begins(t) = 1;
      });
  const Kokkos::View<Count*, MemorySpace> found(
      Kokkos::view_alloc("copse::gravity::bucket_rows", Kokkos::WithoutInitializing), n + 1);
  Count buckets = 0;
  Kokkos::parallel_scan(
      "copse::gravity::list_buckets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
      KOKKOS_LAMBDA(const Count t, Count& bucket, const bool final) {
        if (begins(t) == 0) return;
        if (final) found(bucket) = t;
        ++bucket;
      },
      buckets);
  Kokkos::deep_copy(space, Kokkos::subview(found, buckets), n);
  BucketList<MemorySpace> list;
  list.count = n;
  list.order = targets.order;
  list.begin = Kokkos::subview(found, Kokkos::make_pair(Count{0}, buckets + 1));
  return list;
}

}  // namespace copse::gravity
