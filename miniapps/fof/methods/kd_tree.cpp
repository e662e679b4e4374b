#include "kd_tree.hpp"

#include "label_rows.hpp"
#include "range_links.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse::fof {
std::uint32_t bucket_for_depth(Count n, std::uint32_t bucket_size, int max_depth) {
  if (max_depth <= 0 || max_depth > BalancedHeap::max_levels) return bucket_size;
  const Count leaves = Count{1} << max_depth;
  return static_cast<std::uint32_t>(std::max<Count>(bucket_size, (n + leaves - 1) / leaves));
}

template <class ExecutionSpace>
void KdTreeLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& problem,
                                        const LinkOptions& options,
                                        const Labels<MemorySpace>& labels) {
  const Count n = problem.size();
  if (n == 0) return;
  BoxTree<3, MemorySpace> tree;
  TreePoints<MemorySpace> points;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::build");
    const std::uint32_t bucket = options.bucket_size > 0 ? options.bucket_size : 16;
    tree = builder_.kd_tree(problem.position,
                            {.bucket_size = bucket_for_depth(n, bucket, options.max_depth)});
    points.position = tree.points;
    if (problem.has_velocity())
      points.velocity = velocities_in_order(space_, problem, tree.permutation,
                                            workspace_.template get<Real>("fof::velocity", 3 * n));
  }
  const TreeSets<MemorySpace> sets{workspace_.template get<LocalIndex>("fof::parent", n)};
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::link");
    make_singletons(space_, sets);
    const QueryList<MemorySpace> rows{.count = n, .order = {}};
    const Friendship& rule = problem.friendship;
    if (problem.has_velocity()) {
      walk_as<WalkKind::fsm>(space_, RangeLinks<MemorySpace, true>{tree, points, rule, sets}, rows);
    } else {
      walk_as<WalkKind::fsm>(space_, RangeLinks<MemorySpace, false>{tree, points, rule, sets},
                             rows);
    }
    space_.fence("copse::fof::link");
  }
  const Kokkos::Profiling::ScopedRegion region("copse::fof::label");
  label_rows(space_, sets, tree.permutation, labels,
             workspace_.template get<LocalIndex>("fof::smallest", n), {}, workspace_);
  space_.fence("copse::fof::label");
}

#define COPSE_INSTANTIATE(Space) template class KdTreeLinker<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
