#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/histogram_cuts.hpp>
#include <copse/tree/orb_builder.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_tree.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace copse {

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> WeightedOrbBuilder<ExecutionSpace>::build(
    Points<3, MemorySpace>& points, Permutation& permutation,
    const IntegerWeights<MemorySpace>& weights, const OrbOptions& options) {
  check_orb_size(points.extent(0), options.leaves);
  Kokkos::Profiling::ScopedRegion region("copse::orb::build_weighted");
  const Count n = points.extent(0);
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  if (permutation.extent(0) != n) permutation = Permutation(alloc("copse::orb::permutation"), n);
  if (spare_points_.extent(0) != n) {
    spare_points_ = {};
    rows_ = spare_rows_ = {};
    spare_points_ = Points<3, MemorySpace>(alloc("copse::orb::spare_points"), n);
    rows_ = decltype(rows_)(alloc("copse::orb::rows"), n);
    spare_rows_ = decltype(rows_)(alloc("copse::orb::spare_rows"), n);
  }
  using Range = CountRange<ExecutionSpace>;
  const auto begun = rows_;
  Kokkos::parallel_for(
      "copse::orb::begin_weighted", Range(space_, 0, n), KOKKOS_LAMBDA(const Count i) {
        begun(i) = WeightedRow{static_cast<LocalIndex>(i), weights(i)};
      });

  auto tree = rooted_orb_tree(space_, n, options);
  HistogramCuts<MemorySpace, IntegerWeight> search;
  search.weight = [this] {
    const WeightedRow* const rows = rows_.data();
    return IntegerWeight{rows ? &rows->weight : nullptr,
                         sizeof(WeightedRow) / sizeof(std::uint32_t)};
  };
  bisect(space_, OrbPolicy{options.rule, options.axis_rule, options.first_axis}, tree.cells,
         orb_depth(options.leaves),
         BisectionArrays<3, MemorySpace, WeightedRow>{points, spare_points_, rows_, spare_rows_},
         workspace_, search);
  rounds_per_level_ = search.rounds_per_level;
  const auto finished = rows_;  // bisect swaps the arrays
  Kokkos::parallel_for(
      "copse::orb::finish_weighted", Range(space_, 0, n),
      KOKKOS_LAMBDA(const Count i) { permutation(i) = finished(i).index; });
  space_.fence("copse::orb::build_weighted");
  return tree;
}

template <class ExecutionSpace>
Count WeightedOrbBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves) {
  using Key = OrderedKey<Real>;
  const int levels = orb_depth(leaves);
  const Count cells = most_cells_cut(levels);
  const Count rows = n * (3 * sizeof(Real) + 2 * sizeof(WeightedRow));
  return orb_tree_bytes(leaves) + rows + level_arrays_bytes(levels) +
         HistogramCuts<MemorySpace, IntegerWeight>::template workspace_bytes<Key>(n, cells) +
         MoveStably::workspace_bytes<Key>(n, cells);
}

#define COPSE_INSTANTIATE(Space) template class WeightedOrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
