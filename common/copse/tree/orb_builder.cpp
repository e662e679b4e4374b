#include <copse/backend/backends.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/fused_bisection.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_root.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace copse {

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> OrbBuilder<ExecutionSpace>::build(
    Points<3, MemorySpace>& points, Permutation& permutation, const OrbOptions& options) {
  const Count n = points.extent(0);
  check_orb_size(n, options.leaves);
  Kokkos::Profiling::ScopedRegion region("copse::orb::build");
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  if (permutation.extent(0) != n) permutation = Permutation(alloc("copse::orb::permutation"), n);
  if (options.leaves > 1 && spare_points_.extent(0) != n) {
    spare_points_ = {};
    spare_permutation_ = {};
    spare_points_ = Points<3, MemorySpace>(alloc("copse::orb::spare_points"), n);
    spare_permutation_ = Permutation(alloc("copse::orb::spare_permutation"), n);
  }

  const auto tree = rooted_orb_tree(space_, n, options);
  const OrbPolicy policy{options.rule, options.axis_rule, options.first_axis};
  const BisectionArrays<3, MemorySpace> arrays{points, spare_points_, permutation,
                                               spare_permutation_};
  const int levels = orb_depth(options.leaves);
  const bool by_rounds = options.engine == OrbEngine::fused ||
                         (options.engine == OrbEngine::best && !runs_on_host<ExecutionSpace>);
  if (by_rounds) {
    bisect_fused(space_, policy, tree.cells, levels, arrays, workspace_,
                 options.engine == OrbEngine::fused ? fused::least_rows_per_cell
                                                    : fused::worthwhile_rows_per_cell);
  } else {
    number_rows(space_, permutation);
    if constexpr (runs_on_host<ExecutionSpace>) {
      if (options.engine == OrbEngine::best) {
        bisect_depth_first<ExecutionSpace, 3>(space_, policy, tree.cells, levels, arrays, workspace_);
        return tree;
      }
    }
    bisect<ExecutionSpace, 3>(space_, policy, tree.cells, levels, arrays, workspace_);
  }
  space_.fence("copse::orb::build");
  return tree;
}

template <class ExecutionSpace>
Count OrbBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves) {
  const Count cells = (Count{2} << orb_depth(leaves)) * sizeof(OrbCell);
  if (leaves <= 1) return cells;
  const Count spare = n * (3 * sizeof(Real) + sizeof(LocalIndex));
  const Count candidates = n / 3 * sizeof(Real);  // a quarter of a column, and a quarter of that...
  const Count tiles = (n / tile_size + leaves) * 5 * sizeof(Count);
  const Count per_cell = Count{leaves} * 400;
  const Count by_levels = cells + spare + candidates + tiles + per_cell;
  if constexpr (runs_on_host<ExecutionSpace>) return by_levels;
  // The fused engine beside that: lists, leaf slots of rows and of tiles, and the sample, twice.
  const Count lists = n / fused::rows_per_list_slot * (3 * sizeof(Real) + sizeof(LocalIndex));
  const Count slots = n + n / tile_size * (sizeof(LocalIndex) << fused::most_levels);
  const Count sample = 2 * n / fused::sample_stride(n / leaves) * 3 * sizeof(Real);
  return by_levels + lists + slots + sample;
}

#define COPSE_INSTANTIATE(Space) template class OrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
