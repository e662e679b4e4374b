#pragma once
/// \file
/// The leaves of an octree as buckets of targets for the walk engine.

#include "body_tree.hpp"
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// Consecutive bodies that walk together: each leaf, or pieces of `width` of a leaf with more
/// bodies. In tree order, without overlap; together they hold every body.
template <class ExecutionSpace>
BucketList<typename ExecutionSpace::memory_space> leaf_buckets(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    int width) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = bodies.size();
  const auto step = static_cast<LocalIndex>(width);
  const Kokkos::View<std::uint8_t*, MemorySpace> begins("copse::gravity::bucket_begins", n);
  const auto nodes = bodies.octree.nodes;
  Kokkos::parallel_for(
      "copse::gravity::mark_buckets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, nodes.extent(0)),
      KOKKOS_LAMBDA(const Count i) {
        const OctreeNode node = nodes(i);
        if (!node.is_leaf()) return;
        for (Count row = node.begin; row < node.end; row += step) begins(row) = 1;
      });
  const Kokkos::View<Count*, MemorySpace> found(
      Kokkos::view_alloc("copse::gravity::bucket_rows", Kokkos::WithoutInitializing), n + 1);
  Count buckets = 0;
  Kokkos::parallel_scan(
      "copse::gravity::list_buckets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
      KOKKOS_LAMBDA(const Count row, Count& bucket, const bool final) {
        if (begins(row) == 0) return;
        if (final) found(bucket) = row;
        ++bucket;
      },
      buckets);
  Kokkos::deep_copy(space, Kokkos::subview(found, buckets), n);
  BucketList<MemorySpace> list;
  list.count = n;
  list.begin = Kokkos::subview(found, Kokkos::make_pair(Count{0}, buckets + 1));
  return list;
}

}  // namespace copse::gravity
