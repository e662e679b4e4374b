#include "leaf_pairs.hpp"

#include "label_rows.hpp"
#include "link_leaves.hpp"
#include <copse/backend/backends.hpp>
#include <copse/traversal/self_join.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <utility>

namespace copse::fof {
namespace {

template <bool Velocities, class ExecutionSpace, class Linked>
void link_tree(const ExecutionSpace& space, const Linked& linked) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  for_each_leaf("copse::fof::within_leaves", space, linked.tree,
                LinkWithinLeaves<MemorySpace, Velocities>{linked});
  self_join("copse::fof::between_leaves", space,
            LinkBetweenLeaves<MemorySpace, Velocities>{linked});
}

}  // namespace

template <class ExecutionSpace>
void LeafPairsLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& problem,
                                           const LinkOptions& options,
                                           const Labels<MemorySpace>& labels) {
  const Count n = problem.size();
  if (n == 0) return;
  LinkedTree<MemorySpace> linked;
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::build");
    const std::uint32_t bucket =
        options.bucket_size > 0 ? options.bucket_size : packet_rows<ExecutionSpace>;
    // Cells whose diagonal is shorter than the linking length are cliques, so the order within them
    // does not matter.
    const Real finest = Kokkos::sqrt(problem.friendship.reach2) / Real(1.75);
    tree_ = builder_.curve_tree(problem.position, Curve::hilbert,
                                {.bucket_size = bucket, .finest_cell = finest}, tree_);
    linked.tree = tree_;
    linked.points.position = linked.tree.points;
    if (problem.has_velocity()) {
      const Count rows = runs_on_host<ExecutionSpace> ? 0 : n;
      linked.points.velocity = velocities_in_order(
          space_, problem, linked.tree.permutation, builder_.template first_spare<Real>(3 * n),
          builder_.template second_spare<Kokkos::Array<Real, 3>>(rows));
    }
  }
  linked.rule = problem.friendship;
  const auto numbers = builder_.template second_spare<LocalIndex>(2 * n);
  linked.sets.parent = Kokkos::subview(numbers, std::pair(Count{0}, n));
  linked.whole = workspace_.template get<std::uint8_t>("fof::whole", linked.tree.leaf_slots());
  {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::link");
    if (problem.has_velocity()) {
      link_tree<true>(space_, linked);
    } else {
      link_tree<false>(space_, linked);
    }
    space_.fence("copse::fof::link");
  }
  const Kokkos::Profiling::ScopedRegion region("copse::fof::label");
  label_rows<ExecutionSpace, MemorySpace>(space_, linked.sets, linked.tree.permutation, labels,
                                          Kokkos::subview(numbers, std::pair(n, 2 * n)),
                                          builder_.template first_spare<LocalIndex>(n), workspace_);
  space_.fence("copse::fof::label");
}

#define COPSE_INSTANTIATE(Space) template class LeafPairsLinker<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
