#include "kd_tree.hpp"

#include "label_rows.hpp"
#include "near_pairs.hpp"
#include <copse/algorithms/gather_rows.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

template <class MemorySpace, bool Velocities>
struct RangeLinks {
  static constexpr bool guided = false;

  BoxTree<3, MemorySpace> tree;
  TreePoints<MemorySpace> points;
  Friendship rule;
  UnionFind<MemorySpace> sets;

  template <class L>
  struct State {
    typename L::Index row;
    LanePoint<L, 3> x;
    LanePoint<L, 3> v;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index row) const {
    State<L> state;
    state.row = row;
    state.x = lane_point<L, 3>(points.position, row);
    if constexpr (Velocities) state.v = lane_point<L, 3>(points.velocity, row);
    return state;
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask open(State<L>& state, Node node,
                                                    typename L::Mask active) const {
    using Index = typename L::Index;
    const Segment rows = tree.rows_of(node);
    if (rows.size() == 0) return typename L::Mask(false);
    return active & (state.row < Index(static_cast<LocalIndex>(rows.end - 1))) &
           (rule.template least_distance2<L>(tree.bounds(node), state.x) < typename L::Real(rule.reach2));
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask active) const {
    using LaneReal = typename L::Real;
    const Segment rows = tree.rows_of(node);
    for (Count row = rows.begin; row < rows.end; ++row) {
      LaneReal sum = rule.distance2<L>(state.x, PointAt<3, MemorySpace>{points.position, row});
      if constexpr (Velocities)
        sum = rule.with_velocity2<L>(sum, state.v, PointAt<3, MemorySpace>{points.velocity, row});
      const auto other = static_cast<LocalIndex>(row);
      const typename L::Mask found =
          active & (sum < LaneReal(rule.reach2)) & (state.row < typename L::Index(other));
      unite_lanes(sets, state.row, found, other);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index, const State<L>&, typename L::Mask) const {}
};

}  // namespace

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
    if (problem.has_velocity()) {
      points.velocity =
          Points<3, MemorySpace>(workspace_.template get<Real>("fof::velocity", 3 * n).data(), n);
      gather_rows("copse::fof::gather_velocity", space_, problem.velocity, points.velocity,
                  tree.permutation);
    }
  }
  const UnionFind<MemorySpace> sets{workspace_.template get<LocalIndex>("fof::parent", n)};
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
  label_rows(space_, sets, tree.permutation, labels, workspace_);
  space_.fence("copse::fof::label");
}

#define COPSE_INSTANTIATE(Space) template class KdTreeLinker<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
