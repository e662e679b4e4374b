#pragma once
/// \file
/// Builds balanced trees: brings points into tree order, then fits the bounds.

#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/balanced_tree.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

struct BalancedOptions {
  std::uint32_t bucket_size = 32;          ///< points a leaf holds, >= 1
  AxisRule axis_rule = AxisRule::longest;  ///< of a kd-tree
  /// Of a curve: cells are divided until their sides are at most this long, and points in one cell
  /// keep the order of the input. 0: as far as keys go. Fewer levels are sorted faster.
  Real finest_cell = 0;
};

/// Builds trees on one execution space; keeps its scratch arrays between builds.
template <class ExecutionSpace, int Dim>
class BalancedTreeBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using PointSet = Points<Dim, MemorySpace>;

  explicit BalancedTreeBuilder(const ExecutionSpace& space = {}) : space_(space) {}

  /// A kd-tree of `points`, which are not changed. O(n log n).
  /// \throws InputError for a bucket size of 0 or more points than a rank may hold
  BoxTree<Dim, MemorySpace> kd_tree(const PointSet& points, const BalancedOptions& options);

  /// The tree of points sorted along a space-filling curve. Cheaper to build than a kd-tree, with
  /// larger boxes. O(n curve_key_bits / 8). Arrays of `reuse` that fit become the new tree's, so
  /// that building again allocates nothing; it must not be used afterwards.
  /// \throws InputError as kd_tree
  BoxTree<Dim, MemorySpace> curve_tree(const PointSet& points, Curve curve,
                                       const BalancedOptions& options,
                                       BoxTree<Dim, MemorySpace> reuse = {});

  /// A ball tree: rows ordered as in the kd-tree, bounded by balls. O(n log n).
  /// \throws InputError as kd_tree
  BallTree<Dim, MemorySpace> ball_tree(const PointSet& points, const BalancedOptions& options);

  /// A vantage-point tree. O(n log n).
  /// \throws InputError as kd_tree
  ShellTree<Dim, MemorySpace> vantage_tree(const PointSet& points, const BalancedOptions& options);

  /// Two arrays of n elements that the last curve_tree sorted its keys in, of 8 bytes a row, and
  /// that are free until the next one; they grow if that is not enough.
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
