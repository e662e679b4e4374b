#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/tree/balanced_builder.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/fit_bounds.hpp>
#include <copse/tree/kd_policy.hpp>
#include <copse/tree/on_chip.hpp>
#include <copse/tree/vantage_policy.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace copse {
template <class ExecutionSpace, int Dim>
template <class Tree>
Tree BalancedTreeBuilder<ExecutionSpace, Dim>::begin(const PointSet& points,
                                                     const BalancedOptions& options, Tree tree) {
  const Count n = points.extent(0);
  if (options.bucket_size < 1) throw InputError("the bucket size must be at least 1");
  if (n > max_particles_per_rank)
    throw InputError(std::to_string(n) + " points on one rank are more than the 2^32 it can hold");
  static_cast<BalancedHeap&>(tree) = balanced_heap(n, options.bucket_size);
  if ((Count{options.bucket_size} << tree.levels) < n)
    throw InputError("buckets of " + std::to_string(options.bucket_size) +
                     " points are too small for " + std::to_string(n) + " points");
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  if (tree.points.extent(0) != n) {
    tree.points = PointSet(alloc("copse::tree::points"), n);
    tree.permutation = decltype(tree.permutation)(alloc("copse::tree::permutation"), n);
  }
  if (tree.bounds.extent(0) != tree.node_slots())
    tree.bounds = decltype(tree.bounds)(alloc("copse::tree::bounds"), tree.node_slots());
  return tree;
}

/// Sorts the particles of `shape` into the order of the tree that `policy` defines, and returns its
/// cells.
template <class ExecutionSpace, int Dim>
template <class Policy>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::order(const PointSet& points, const Policy& policy,
                                                     const typename Policy::Cell& root,
                                                     const BalancedHeap& shape, PointSet& ordered,
                                                     Permutation& permutation) {
  using Cell = typename Policy::Cell;
  Kokkos::deep_copy(space_, ordered, points);
  number_rows("copse::bisect::number_rows", space_, permutation);
  Kokkos::View<Cell*, MemorySpace> cells("copse::tree::cells", shape.node_slots());
  if (shape.rows == 0) return cells;
  Kokkos::deep_copy(space_, Kokkos::subview(cells, 1), root);
  PointSet spare(Kokkos::view_alloc("copse::tree::spare_points", Kokkos::WithoutInitializing),
                 shape.rows);
  Permutation spare_permutation(
      Kokkos::view_alloc("copse::tree::spare_permutation", Kokkos::WithoutInitializing),
      shape.rows);
  const BisectionArrays<Dim, MemorySpace> arrays{ordered, spare, permutation, spare_permutation};
  if constexpr (runs_on_host<ExecutionSpace>) {
    bisect_depth_first(space_, policy, cells, shape.levels, arrays, workspace_);
  } else {
    bisect_on_chip<DeviceChipTeam<Dim>>(space_, policy, cells, shape.levels, arrays, workspace_);
  }
  return cells;
}

template <class ExecutionSpace, int Dim>
void BalancedTreeBuilder<ExecutionSpace, Dim>::order_as_kd(const PointSet& points,
                                                           const BalancedOptions& options,
                                                           const BalancedHeap& shape,
                                                           PointSet& ordered,
                                                           Permutation& permutation) {
  KdCell<Dim> root;
  root.end = shape.rows;
  root.height = shape.levels;
  const Box<Dim> box = bounding_box(space_, points);
  root.lower = box.lower;
  root.upper = box.upper;
  order(points, KdPolicy<Dim>{{options.bucket_size}, options.axis_rule}, root, shape, ordered,
        permutation);
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::kd_tree(const PointSet& points,
                                                       const BalancedOptions& options)
    -> BoxTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::kd_tree");
  auto tree = begin<BoxTree<Dim, MemorySpace>>(points, options);
  order_as_kd(points, options, tree, tree.points, tree.permutation);
  fit_boxes<ExecutionSpace, Dim>(space_, tree);
  space_.fence("copse::tree::kd_tree");
  return tree;
}

/// Levels of a grid whose cells have sides of at most `finest`.
template <int Dim>
int curve_levels(const Box<Dim>& box, Real finest) {
  const double side = CurveGrid<Dim>(box).side;
  if (!(finest > 0) || !(side > 0.0)) return curve_bits<Dim>;
  const double levels = std::ceil(std::log2(side / static_cast<double>(finest)));
  return static_cast<int>(std::clamp(levels, 1.0, static_cast<double>(curve_bits<Dim>)));
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::curve_tree(const PointSet& points, Curve curve,
                                                          const BalancedOptions& options,
                                                          BoxTree<Dim, MemorySpace> reuse)
    -> BoxTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::curve_tree");
  auto tree = begin<BoxTree<Dim, MemorySpace>>(points, options, reuse);
  const auto keys = workspace_.template get<std::uint64_t>("tree::curve_keys", tree.rows);
  const Box<Dim> box = bounding_box(space_, points);
  curve_order<Dim>(space_, points, box, curve, keys, tree.permutation, workspace_,
                   curve_levels<Dim>(box, options.finest_cell));
  // A device reads columns at random from its L2 cache as fast as rows.
  if (runs_on_host<ExecutionSpace> || tree.rows * Dim * sizeof(Real) > device_cache_bytes) {
    // In the memory of the keys, which are not needed any more.
    const auto scratch =
        workspace_.template get<Kokkos::Array<Real, Dim>>("tree::curve_keys", tree.rows);
    gather_points_through_rows("copse::tree::gather_points", space_, points, tree.points,
                               tree.permutation, scratch);
  } else {
    gather_rows("copse::tree::gather_points", space_, points, tree.points, tree.permutation);
  }
  fit_boxes<ExecutionSpace, Dim>(space_, tree);
  space_.fence("copse::tree::curve_tree");
  return tree;
}

template <class ExecutionSpace, int Dim>
auto BalancedTreeBuilder<ExecutionSpace, Dim>::ball_tree(const PointSet& points,
                                                         const BalancedOptions& options)
    -> BallTree<Dim, MemorySpace> {
  Kokkos::Profiling::ScopedRegion region("copse::tree::ball_tree");
  auto tree = begin<BallTree<Dim, MemorySpace>>(points, options);
  order_as_kd(points, options, tree, tree.points, tree.permutation);
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
  const auto cells = order(points, VantagePolicy<Dim>{{options.bucket_size}}, root, tree,
                           tree.points, tree.permutation);
  fit_shells<ExecutionSpace, Dim>(space_, tree, cells);
  space_.fence("copse::tree::vantage_tree");
  return tree;
}

#define COPSE_INSTANTIATE(ExecutionSpace, Dim) \
  template class BalancedTreeBuilder<ExecutionSpace, Dim>;
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
