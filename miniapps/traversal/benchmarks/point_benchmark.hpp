#pragma once
/// \file
/// The common part of benchmarks over balanced trees: points, queries, the tree selected by --tree
/// and --bucket-size, and the sorted order.

#include "../run_benchmark.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/traversal/inspector.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>

namespace copse::traversal {

/// Default number of points per leaf. Measured on a host with AVX-512 (1e6 uniform points, CPU
/// seconds for 8 nearest neighbours and for counting 34): 8: 0.56, 0.26; 16: 0.52, 0.20; 32: 0.51,
/// 0.17; 64: 0.53, 0.17.
inline constexpr Count best_bucket_size = 32;

/// Builds a tree of the type of `tree` over the points.
template <class Builder, class PointSet, class Tree>
void build_tree(Builder& builder, const PointSet& points, const Request& request, Tree& tree) {
  using MemorySpace = typename Tree::memory_space;
  const Count bucket = request.bucket_size > 0 ? request.bucket_size : best_bucket_size;
  const BalancedOptions options{.bucket_size = static_cast<std::uint32_t>(bucket)};
  if constexpr (std::is_same_v<Tree, BallTree<Tree::dimension, MemorySpace>>) {
    tree = builder.ball_tree(points, options);
  } else if constexpr (std::is_same_v<Tree, ShellTree<Tree::dimension, MemorySpace>>) {
    tree = builder.vantage_tree(points, options);
  } else if (request.tree == "kd") {
    tree = builder.kd_tree(points, options);
  } else {
    const Curve curve = request.tree == "hilbert" ? Curve::hilbert : Curve::morton;
    tree = builder.curve_tree(points, curve, options);
  }
}

template <class ExecutionSpace, class Tree>
class PointBenchmark {
 public:
  static constexpr int Dim = Tree::dimension;
  using MemorySpace = typename ExecutionSpace::memory_space;
  /// Is sorting queries by their first leaf faster than sorting along a curve? On a GPU yes if
  /// nodes are balls or shells, no if they are boxes; on hosts never (docs/scheduling.md).
  static constexpr bool first_leaf_pays =
      !runs_on_host<ExecutionSpace> && !std::is_same_v<Tree, BoxTree<Dim, MemorySpace>>;

  PointBenchmark(const ExecutionSpace& space, const PointInput<Dim, MemorySpace>& input,
                 const Request& request)
      : space_(space), builder_(space), input_(input), request_(request) {}

  void build() { build_tree(builder_, input_.points, request_, tree_); }

  TopHeap top(int depth) const { return top_of(tree_, depth); }
  int levels() const { return tree_.levels; }
  Count queries() const { return input_.queries.extent(0); }

  bool order_is_free() const { return input_.own; }

  /// The order that an application would choose: tree order if the tree's points are the queries.
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>& workspace) const {
    return sorted(workspace, curve_bits<Dim>);
  }
  /// A sort precise enough for packets: queries in the same coarse grid cell keep their input
  /// order.
  ScheduleView<MemorySpace> coarsely_sorted(Workspace<MemorySpace>& workspace) const {
    return sorted(workspace, coarse_curve_levels<Dim>);
  }

 protected:
  ScheduleView<MemorySpace> sorted(Workspace<MemorySpace>& workspace, int levels) const {
    if (input_.own) return tree_.permutation;
    const Count n = queries();
    const ScheduleView<MemorySpace> order(
        workspace.template get<LocalIndex>("traversal::sorted", n).data(), n);
    const auto keys = workspace.template get<std::uint64_t>("traversal::curve_keys", n);
    curve_order<Dim>(space_, input_.queries, bounding_box(space_, input_.queries), Curve::hilbert,
                     keys, order, workspace, levels);
    return order;
  }

  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, Dim> builder_;
  PointInput<Dim, MemorySpace> input_;
  const Request& request_;
  Tree tree_;
};

/// Loads the points and makes the benchmark for the backend and dimension of the run.
template <template <class, int> class Traversal>
std::unique_ptr<Benchmark> load_on_points(app::Session& session, const Request& request) {
  std::unique_ptr<Benchmark> loaded;
  dispatch_backend(session.options().backend, [&]<class Space>(const Space& space) {
    dispatch_dimension(static_cast<int>(request.dimension), [&](auto dim) {
      loaded = std::make_unique<BenchmarkRun<Space, Traversal<Space, dim()>>>(
          session, space, request, "", load_input<dim()>(session, space, request));
    });
  });
  return loaded;
}

}  // namespace copse::traversal
