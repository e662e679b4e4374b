#include "target_groups.hpp"

#include <copse/backend/backends.hpp>

#include <algorithm>

namespace copse::gravity {
namespace {

/// The first of ascending targets that is not before a row.
template <class MemorySpace>
KOKKOS_FUNCTION Count first_target(const QueryList<MemorySpace>& targets, Count row) {
  if (targets.order.extent(0) == 0) return row < targets.count ? row : targets.count;
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

/// Marks the first target of each group below the nodes that are small enough, whose parents are
/// not.
template <class MemorySpace>
struct MarkGroups {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  QueryList<MemorySpace> targets;
  Kokkos::View<std::uint8_t*, MemorySpace> begins;
  Count width, most;

  KOKKOS_FUNCTION bool is_small(const OctreeNode& node) const {
    return node.is_leaf() || node.rows() <= most;
  }
  KOKKOS_FUNCTION void mark(const OctreeNode& node) const {
    const Count end = first_target(targets, node.end);
    for (Count t = first_target(targets, node.begin); t < end; t += width) begins(t) = 1;
  }
  KOKKOS_FUNCTION void operator()(const Count i) const {
    const OctreeNode node = nodes(i);
    if (is_small(node)) {
      if (i == 0) mark(node);
      return;
    }
    for (Count c = 0; c < node.child_count; ++c)
      if (const OctreeNode child = nodes(node.first_child + c); is_small(child)) mark(child);
  }
};

}  // namespace

template <class ExecutionSpace>
const BucketList<typename ExecutionSpace::memory_space>& TargetGroups<ExecutionSpace>::of(
    const BodyTree<MemorySpace>& bodies, int width, Count most) {
  const QueryList<MemorySpace> targets = bodies.targets;
  const Count n = targets.count;
  if (build_ == bodies.build && groups_.count == n) return groups_;
  const auto step = static_cast<Count>(width);
  const auto nodes = bodies.octree.nodes;
  const Count room =
      std::min(n, n / step + bodies.octree.size());  // one group of each node is short
  const auto begins = workspace_.template get<std::uint8_t>("gravity::group_begins", n);
  const auto found = workspace_.template get<Count>("gravity::group_rows", room + 1);
  Kokkos::deep_copy(space_, begins, std::uint8_t{0});
  Kokkos::parallel_for("copse::gravity::mark_groups",
                       CountRange<ExecutionSpace>(space_, 0, nodes.extent(0)),
                       MarkGroups<MemorySpace>{nodes, targets, begins, step, most});
  Count groups = 0;
  Kokkos::parallel_scan(
      "copse::gravity::list_groups", CountRange<ExecutionSpace>(space_, 0, n),
      KOKKOS_LAMBDA(const Count t, Count& group, const bool final) {
        if (begins(t) == 0) return;
        if (final) found(group) = t;
        ++group;
      },
      groups);
  Kokkos::deep_copy(space_, Kokkos::subview(found, groups), n);
  groups_.count = n;
  groups_.order = targets.order;
  groups_.begin = Kokkos::subview(found, Kokkos::make_pair(Count{0}, groups + 1));
  build_ = bodies.build;
  return groups_;
}

#define COPSE_INSTANTIATE(Space) template class TargetGroups<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
