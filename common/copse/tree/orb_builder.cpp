#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace copse {

namespace {

auto uninitialized(const char* label) {
  return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
}

template <class ExecutionSpace, class Arrays>
void cut_all(const ExecutionSpace& space, const OrbPolicy& policy,
             const typename OrbEngine<ExecutionSpace>::Cells& cells, int levels,
             const Arrays& arrays, Workspace<typename ExecutionSpace::memory_space>& workspace) {
  arrays.number(space);
  if constexpr (runs_on_host<ExecutionSpace>) {
    bisect_depth_first(space, policy, cells, levels, arrays, workspace);
  } else {
    const auto [active, next_active] = root_frontier(space, levels, workspace);
    bisect_by_teams(space, policy, cells, 0, levels, arrays, workspace, active, next_active);
  }
}

}  // namespace

template <class ExecutionSpace>
void OrbEngine<ExecutionSpace>::cut(const ExecutionSpace& space, const OrbPolicy& policy,
                                    const Cells& cells, int levels,
                                    const BisectionArrays<3, MemorySpace>& arrays,
                                    Workspace<MemorySpace>& workspace) const {
  cut_all(space, policy, cells, levels, arrays, workspace);
}

template <class ExecutionSpace>
void OrbEngine<ExecutionSpace>::cut(const ExecutionSpace& space, const OrbPolicy& policy,
                                    const Cells& cells, int levels,
                                    const PointArrays<3, MemorySpace>& arrays,
                                    Workspace<MemorySpace>& workspace) const {
  cut_all(space, policy, cells, levels, arrays, workspace);
}

template <class ExecutionSpace>
Count OrbEngine<ExecutionSpace>::workspace_bytes(Count rows, int levels) const {
  using Key = OrderedKey<Real>;
  if constexpr (runs_on_host<ExecutionSpace>) {
    const auto threads = static_cast<Count>(ExecutionSpace().concurrency());
    const Count enough =
        std::max(detail::subtrees_per_thread * threads, rows / detail::subtree_rows);
    // Rounded up to a power of two, plus one level for an even number of levels below.
    const int together = std::min(levels, static_cast<int>(std::bit_width(enough)) + 1);
    const Count in_caches = threads * (rows / enough + 1) * 2 * sizeof(Key);
    const Count cells = most_cells_cut(together);
    return in_caches + level_arrays_bytes(together) +
           SelectCuts::workspace_bytes<Key>(rows, cells) +
           MoveStably::workspace_bytes<Key>(rows, cells);
  } else {
    return (Count{2} << levels) * sizeof(std::uint32_t) +
           team_workspace_bytes<Key>(rows, 0, levels);
  }
}

template <class ExecutionSpace>
OrbBuilder<ExecutionSpace>::OrbBuilder(const ExecutionSpace& space,
                                       std::shared_ptr<const Engine> engine)
    : space_(space), engine_(std::move(engine)) {}

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> OrbBuilder<ExecutionSpace>::build(
    Points<3, MemorySpace>& points, Permutation& permutation, const OrbOptions& options) {
  const Count n = points.extent(0);
  check_orb_size(n, options.leaves);
  if (permutation.extent(0) != n)
    permutation = Permutation(uninitialized("copse::orb::permutation"), n);
  if (options.leaves > 1 && spare_points_.extent(0) != n) {
    spare_points_ = {};
    spare_permutation_ = {};
    spare_points_ = Points<3, MemorySpace>(uninitialized("copse::orb::spare_points"), n);
    spare_permutation_ = Permutation(uninitialized("copse::orb::spare_permutation"), n);
  }
  return build_arrays(
      BisectionArrays<3, MemorySpace>{points, spare_points_, permutation, spare_permutation_},
      options);
}

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> OrbBuilder<ExecutionSpace>::build(
    Points<3, MemorySpace>& points, Points<3, MemorySpace>& spare, const OrbOptions& options) {
  const Count n = points.extent(0);
  check_orb_size(n, options.leaves);
  if (options.leaves > 1 && spare.extent(0) != n) {
    spare = {};
    spare = Points<3, MemorySpace>(uninitialized("copse::orb::spare_points"), n);
  }
  return build_arrays(PointArrays<3, MemorySpace>{points, spare}, options);
}

template <class ExecutionSpace>
template <class Arrays>
OrbTree<typename ExecutionSpace::memory_space> OrbBuilder<ExecutionSpace>::build_arrays(
    const Arrays& arrays, const OrbOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("copse::orb::build");
  const auto tree = rooted_orb_tree(space_, arrays.points.extent(0), options);
  engine_->cut(space_, OrbPolicy{options.rule, options.axis_rule, options.first_axis}, tree.cells,
               orb_depth(options.leaves), arrays, workspace_);
  space_.fence("copse::orb::build");
  return tree;
}

template <class ExecutionSpace>
Count OrbBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves,
                                                 const Engine& engine) {
  const Count spare = leaves > 1 ? n * point_row_bytes : 0;
  return spare + estimate_points_bytes(n, leaves, engine);
}

template <class ExecutionSpace>
Count OrbBuilder<ExecutionSpace>::estimate_points_bytes(Count n, std::uint32_t leaves,
                                                        const Engine& engine) {
  if (leaves <= 1) return orb_tree_bytes(leaves);
  return orb_tree_bytes(leaves) + engine.workspace_bytes(n, orb_depth(leaves));
}

#define COPSE_INSTANTIATE(Space)   \
  template class OrbEngine<Space>; \
  template class OrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
