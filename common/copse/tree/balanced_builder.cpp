#include <copse/backend/backends.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/balanced_builder.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/fit_bounds.hpp>
#include <copse/tree/kd_policy.hpp>
#include <copse/tree/vantage_policy.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace copse {
namespace {

template <class ExecutionSpace, class PointSet>
void fill_extent(const ExecutionSpace& space, const PointSet& points,
                 KdCell<static_cast<int>(PointSet::static_extent(1))>& cell) {
  constexpr int dim = static_cast<int>(PointSet::static_extent(1));
  for (int a = 0; a < dim; ++a) {
    const CoordinateKey x{points.data() + points.stride(1) * a};
    Kokkos::parallel_reduce(
        "copse::tree::extent", Kokkos::RangePolicy<ExecutionSpace>(space, 0, points.extent(0)),
        KOKKOS_LAMBDA(const Count row, Real& lower, Real& upper) {
          lower = lane_min(lower, x(row));
          upper = lane_max(upper, x(row));
        },
        Kokkos::Min<Real>(cell.lower[a]), Kokkos::Max<Real>(cell.upper[a]));
  }
}

}  // namespace

template <class ExecutionSpace, int Dim>
template <class Tree>
Tree BalancedTreeBuilder<ExecutionSpace, Dim>::begin(const PointSet& points,
                                                     const BalancedOptions& options) {
  const Count n = points.extent(0);
  if (options.bucket_size < 1) throw InputError("the bucket size must be at least 1");
  if (n > max_particles_per_rank)
    throw InputError(std::to_string(n) + " points on one rank are more than the 2^32 it can hold");
  Tree tree;
  static_cast<BalancedHeap&>(tree) = balanced_heap(n, options.bucket_size);
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  tree.points = PointSet(alloc("copse::tree::points"), n);
  tree.permutation = decltype(tree.permutation)(alloc("copse::tree::permutation"), n);
  tree.bounds = decltype(tree.bounds)(alloc("copse::tree::bounds"), tree.node_slots());
  Kokkos::deep_copy(space_, tree.points, points);
  number_rows(space_, tree.permutation);
  return tree;
}

template <class ExecutionSpace, int Dim>
template <class Tree, class Policy>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::order(Tree& tree, const Policy& policy,
                                                     const typename Policy::Cell& root) {
  using Cell = typename Policy::Cell;
  Kokkos::View<Cell*, MemorySpace> cells("copse::tree::cells", tree.node_slots());
  if (tree.rows == 0) return cells;
  Kokkos::deep_copy(space_, Kokkos::subview(cells, 1), root);
  PointSet spare(Kokkos::view_alloc("copse::tree::spare_points", Kokkos::WithoutInitializing),
                 tree.rows);
  Kokkos::View<LocalIndex*, MemorySpace> permutation = tree.permutation;
  Kokkos::View<LocalIndex*, MemorySpace> spare_permutation(
      Kokkos::view_alloc("copse::tree::spare_permutation", Kokkos::WithoutInitializing), tree.rows);
  const BisectionArrays<Dim, MemorySpace> arrays{tree.points, spare, permutation,
                                                 spare_permutation};
  if constexpr (runs_on_host<ExecutionSpace>) {
    bisect_depth_first<ExecutionSpace, Dim>(space_, policy, cells, tree.levels, arrays, workspace_);
  } else {
    bisect<ExecutionSpace, Dim>(space_, policy, cells, tree.levels, arrays, workspace_);
  }
  tree.permutation = permutation;
  return cells;
}

template <class ExecutionSpace, int Dim>
template <class Tree>
void BalancedTreeBuilder<ExecutionSpace, Dim>::order_as_kd(Tree& tree,
                                                           const BalancedOptions& options) {
  KdCell<Dim> root;
  root.end = tree.rows;
  root.height = tree.levels;
  if (tree.rows > 0) fill_extent(space_, tree.points, root);
  order(tree, KdPolicy<Dim>{options.bucket_size, options.axis_rule}, root);
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::kd_tree(const PointSet& points,
                                                       const BalancedOptions& options)
    -> BoxTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::kd_tree");
  auto tree = begin<BoxTree<Dim, MemorySpace>>(points, options);
  order_as_kd(tree, options);
  fit_boxes<ExecutionSpace, Dim>(space_, tree);
  space_.fence("copse::tree::kd_tree");
  return tree;
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::ball_tree(const PointSet& points,
                                                         const BalancedOptions& options)
    -> BallTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::ball_tree");
  auto tree = begin<BallTree<Dim, MemorySpace>>(points, options);
  order_as_kd(tree, options);
  fit_balls<ExecutionSpace, Dim>(space_, tree);
  space_.fence("copse::tree::ball_tree");
  return tree;
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::vantage_tree(const PointSet& points,
                                                            const BalancedOptions& options)
    -> ShellTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::vantage_tree");
  auto tree = begin<ShellTree<Dim, MemorySpace>>(points, options);
  VantageCell<Dim> root;
  root.end = tree.rows;
  root.height = tree.levels;
  const auto cells = order(tree, VantagePolicy<Dim>{options.bucket_size}, root);
  fit_shells<ExecutionSpace, Dim>(space_, tree, cells);
  space_.fence("copse::tree::vantage_tree");
  return tree;
}

#define COPSE_INSTANTIATE(ExecutionSpace, Dim) \
  template class BalancedTreeBuilder<ExecutionSpace, Dim>;
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
