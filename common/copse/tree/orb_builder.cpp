#include <copse/backend/backends.hpp>
#include <copse/tree/build_memory.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/fused_bisection.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_root.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace copse {

namespace {

/// Whether an engine is the fused one on a backend.
template <class ExecutionSpace>
constexpr bool builds_by_rounds(OrbEngine engine) {
  return engine == OrbEngine::fused || (engine == OrbEngine::best && !runs_on_host<ExecutionSpace>);
}

/// Rows of a cell from which the fused engine cuts by rounds in a tree of n rows.
constexpr Count least_rows(OrbEngine engine, Count n) {
  return engine == OrbEngine::fused ? fused::least_rows_per_cell
                                    : fused::worthwhile_rows_per_cell(n);
}

auto uninitialized(const char* label) {
  return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
}

}  // namespace

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
  const OrbPolicy policy{options.rule, options.axis_rule, options.first_axis};
  const int levels = orb_depth(options.leaves);
  if (builds_by_rounds<ExecutionSpace>(options.engine)) {
    bisect_fused(space_, policy, tree.cells, levels, arrays, workspace_,
                 least_rows(options.engine, arrays.points.extent(0)));
  } else {
    arrays.number(space_);
    if constexpr (runs_on_host<ExecutionSpace>) {
      if (options.engine == OrbEngine::best) {
        bisect_depth_first(space_, policy, tree.cells, levels, arrays, workspace_);
        return tree;
      }
    }
    bisect(space_, policy, tree.cells, levels, arrays, workspace_);
  }
  space_.fence("copse::orb::build");
  return tree;
}

template <class ExecutionSpace>
Count OrbBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves, OrbEngine engine) {
  const Count spare = leaves > 1 ? n * point_row_bytes : 0;
  return spare + estimate_points_bytes(n, leaves, engine);
}

template <class ExecutionSpace>
Count OrbBuilder<ExecutionSpace>::estimate_points_bytes(Count n, std::uint32_t leaves,
                                                        OrbEngine engine) {
  if (leaves <= 1) return orb_tree_bytes(leaves);
  using Key = OrderedKey<Real>;
  const int levels = orb_depth(leaves);
  const Count bytes = orb_tree_bytes(leaves);
  if (builds_by_rounds<ExecutionSpace>(engine))
    return bytes +
           fused_workspace_bytes<ExecutionSpace, OrbPolicy>(n, levels, least_rows(engine, n));
  int together = levels;
  Count in_caches = 0;
  if constexpr (runs_on_host<ExecutionSpace>) {
    if (engine == OrbEngine::best) {
      const auto threads = static_cast<Count>(ExecutionSpace().concurrency());
      const Count enough =
          std::max(detail::subtrees_per_thread * threads, n / detail::subtree_rows);
      // Rounded up to a power of two, and once more to an even number of levels below.
      together = std::min(levels, static_cast<int>(std::bit_width(enough)) + 1);
      in_caches = threads * (n / enough + 1) * 2 * sizeof(Key);
    }
  }
  const Count cells = most_cells_cut(together);
  return bytes + in_caches + level_arrays_bytes(together) +
         SelectCuts::workspace_bytes<Key>(n, cells) + MoveStably::workspace_bytes<Key>(n, cells);
}

#define COPSE_INSTANTIATE(Space) template class OrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
