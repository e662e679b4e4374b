#pragma once
/// \file
/// Builds balanced trees: sorts points into tree order, then fits the bounds.

#include <copse/algorithms/curve_grid.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

struct BalancedOptions {
  std::uint32_t bucket_size = 32;          ///< particles per leaf, >= 1
  AxisRule axis_rule = AxisRule::longest;  ///< kd-trees only
  /// Curves only: cells are divided until their sides are at most this long; points in one cell
  /// keep their input order. 0: the finest cells the keys can resolve. Fewer levels sort faster.
  Real finest_cell = 0;
};

/// Builds trees on one execution space; keeps its scratch arrays between builds.
template <class ExecutionSpace, int Dim>
class BalancedTreeBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using PointSet = Points<Dim, MemorySpace>;

  explicit BalancedTreeBuilder(const ExecutionSpace& space = {}) : space_(space) {}

  /// Builds a kd-tree of `points`, which are not changed. O(n log n).
  /// \throws InputError for a bucket size of 0 or more points than a rank may hold
  BoxTree<Dim, MemorySpace> kd_tree(const PointSet& points, const BalancedOptions& options);

  /// Builds a tree of points sorted along a space-filling curve. Cheaper to build than a kd-tree,
  /// with larger boxes. O(n): a radix sort. Arrays of `reuse` with matching extents are
  /// reused, so a rebuild allocates nothing; `reuse` must not be used afterwards.
  /// \throws InputError as kd_tree
  BoxTree<Dim, MemorySpace> curve_tree(const PointSet& points, Curve curve,
                                       const BalancedOptions& options,
                                       BoxTree<Dim, MemorySpace> reuse = {});

  /// Builds a ball tree: particles ordered as in the kd-tree, bounded by balls. O(n log n).
  /// \throws InputError as kd_tree
  BallTree<Dim, MemorySpace> ball_tree(const PointSet& points, const BalancedOptions& options);

  /// Builds a vantage-point tree. O(n log n).
  /// \throws InputError as kd_tree
  ShellTree<Dim, MemorySpace> vantage_tree(const PointSet& points, const BalancedOptions& options);

  /// Two scratch arrays of n elements: the key buffers of the last curve_tree (8 bytes per
  /// particle, mostly at least Dim Reals in the first), free until the next build. They grow if n
  /// elements need more.
  template <class T>
  auto first_spare(Count n) {
    return workspace_.template get<T>("tree::curve_keys", n);
  }
  template <class T>
  auto second_spare(Count n) {
    return workspace_.template get<T>("sort::keys", n);
  }

 private:
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;

  template <class Tree>
  Tree begin(const PointSet& points, const BalancedOptions& options, Tree tree = {});
  template <class Policy>
  auto order(const PointSet& points, const Policy& policy, const typename Policy::Cell& root,
             const BalancedHeap& shape, PointSet& ordered, Permutation& permutation);
  void order_as_kd(const PointSet& points, const BalancedOptions& options,
                   const BalancedHeap& shape, PointSet& ordered, Permutation& permutation);

  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse
