#include "attach.hpp"

#include "nearest_linked.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <string>

namespace copse::fof {
namespace {

template <class MemorySpace>
RowList<MemorySpace> row_list(const char* label, Count n) {
  return RowList<MemorySpace>(
      Kokkos::view_alloc(std::string("copse::fof::") + label, Kokkos::WithoutInitializing), n);
}

}  // namespace

template <class ExecutionSpace>
RowList<typename ExecutionSpace::memory_space> find_nearest_linked(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& linked,
    const Points<3, typename ExecutionSpace::memory_space>& others, const Friendship& friendship) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  constexpr WalkKind kind = runs_on_host<ExecutionSpace> ? WalkKind::fsm : WalkKind::stack;
  const Kokkos::Profiling::ScopedRegion region("copse::fof::nearest_linked");
  const auto nearest = row_list<MemorySpace>("nearest_linked", others.extent(0));
  Kokkos::deep_copy(space, nearest, nobody_near);
  if (linked.extent(0) > 0 && others.extent(0) > 0) {
    BalancedTreeBuilder<ExecutionSpace, 3> builder(space);
    const BalancedOptions shape{.bucket_size = 16};
    const auto tree = builder.curve_tree(linked, Curve::hilbert, shape);
    // Neighbours on the curve share a packet.
    const auto order = builder.curve_tree(others, Curve::hilbert, shape).permutation;
    const QueryList<MemorySpace> queries{.count = others.extent(0), .order = order};
    walk_as<kind>(space,
                  NearestLinked<MemorySpace>{tree, others, nearest, friendship,
                                             std::nextafter(friendship.reach2, Real(0))},
                  queries);
  }
  space.fence("copse::fof::nearest_linked");
  return nearest;
}

template <class ExecutionSpace>
Labels<typename ExecutionSpace::memory_space> attach_labels(
    const ExecutionSpace& space, const RowList<typename ExecutionSpace::memory_space>& linked,
    const RowList<typename ExecutionSpace::memory_space>& others,
    const Labels<typename ExecutionSpace::memory_space>& of_linked,
    const RowList<typename ExecutionSpace::memory_space>& nearest) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = linked.extent(0) + others.extent(0);
  const auto labels = row_list<MemorySpace>("attached_labels", n);
  const auto least = row_list<MemorySpace>("least_row", n);
  Kokkos::parallel_for(
      "copse::fof::count_from_zero", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        labels(i) = static_cast<LocalIndex>(i);
        least(i) = static_cast<LocalIndex>(i);
      });
  // Labels of linked particles go to their places among all particles.
  Kokkos::parallel_for(
      "copse::fof::spread_labels", CountRange<ExecutionSpace>(space, 0, linked.extent(0)),
      KOKKOS_LAMBDA(const Count k) { labels(linked(k)) = linked(of_linked(k)); });
  Kokkos::parallel_for(
      "copse::fof::join_nearest", CountRange<ExecutionSpace>(space, 0, others.extent(0)),
      KOKKOS_LAMBDA(const Count k) {
        if (nearest(k) == nobody_near) return;
        const LocalIndex group = linked(of_linked(nearest(k)));
        labels(others(k)) = group;
        Kokkos::atomic_min(&least(group), others(k));
      });
  Kokkos::parallel_for(
      "copse::fof::take_least", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) { labels(i) = least(labels(i)); });
  space.fence("copse::fof::attach_labels");
  return labels;
}

#define COPSE_INSTANTIATE(Space)                                                                  \
  template RowList<Space::memory_space> find_nearest_linked(                                      \
      const Space&, const Points<3, Space::memory_space>&, const Points<3, Space::memory_space>&, \
      const Friendship&);                                                                         \
  template Labels<Space::memory_space> attach_labels(                                             \
      const Space&, const RowList<Space::memory_space>&, const RowList<Space::memory_space>&,     \
      const Labels<Space::memory_space>&, const RowList<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
