#pragma once
/// \file
/// The boxes of groups of targets, by which walks open nodes.

#include "../../body_tree.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// The box of some targets as the visitor BarnesHut has it. \param row row(i) of the i-th target
template <class MemorySpace, class Rows>
KOKKOS_INLINE_FUNCTION TargetBox
box_of_targets(const Points<3, MemorySpace>& points,
               const Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace>& softening,
               const Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace>& limits,
               const Rows& row, Count begin, Count end) {
  TargetBox box;
  for (int a = 0; a < 3; ++a) box.lower[a] = box.upper[a] = points(row(begin), a);
  if (limits.extent(0) > 0) box.limit = limits(row(begin));
  for (Count i = begin; i < end; ++i) {
    const LocalIndex target = row(i);
    for (int a = 0; a < 3; ++a) {
      box.lower[a] = lane_min(box.lower[a], points(target, a));
      box.upper[a] = lane_max(box.upper[a], points(target, a));
    }
    if (softening.extent(0) > 0) box.softening = lane_max(box.softening, softening(target));
    if (limits.extent(0) > 0) box.limit = lane_min(box.limit, limits(target));
  }
  return box;
}

template <class MemorySpace>
struct FindBoxes {
  Points<3, MemorySpace> points;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> softening, limits;
  BucketList<MemorySpace> groups;
  Kokkos::View<TargetBox*, Kokkos::LayoutLeft, MemorySpace> boxes;

  KOKKOS_FUNCTION void operator()(const Count g) const {
    boxes(g) =
        box_of_targets(points, softening, limits, groups, groups.begin(g), groups.begin(g + 1));
  }
};

/// The box of each group. Returns when the work is done.
template <class ExecutionSpace>
auto boxes_of_groups(const ExecutionSpace& space,
                     const BodyTree<typename ExecutionSpace::memory_space>& tree,
                     const BucketList<typename ExecutionSpace::memory_space>& groups) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count count = groups.count == 0 ? 0 : groups.begin.extent(0) - 1;
  const Kokkos::View<TargetBox*, Kokkos::LayoutLeft, MemorySpace> boxes("copse::gravity::boxes",
                                                                        count);
  Kokkos::parallel_for(
      "copse::gravity::find_boxes", CountRange<ExecutionSpace>(space, 0, count),
      FindBoxes<MemorySpace>{tree.points, tree.gravity.softening, tree.limits, groups, boxes});
  space.fence("copse::gravity::find_boxes");
  return boxes;
}

}  // namespace copse::gravity
