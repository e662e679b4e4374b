#pragma once
/// \file
/// Balanced binary trees of points: kd-trees, ball trees, vantage-point trees and trees along a
/// space-filling curve are one structure that differs in the order of the rows and in the bound.
///
/// Invariants
///  - `points(i, a)` are the input's points in tree order; row i was row `permutation(i)`.
///  - The heap says which rows a node has (balanced_heap.hpp), `bounds(node)` what they lie within.
///  - A node without rows has a bound that no finite distance reaches.
///
/// Any order of the rows gives a correct tree; a good one makes its bounds small.

#include <copse/particles/points.hpp>
#include <copse/tree/balanced_heap.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

template <int Dim, class MemorySpace, class Bound_ = BoxBound<Dim>>
struct BalancedTree : BalancedHeap {
  static constexpr int dimension = Dim;
  using memory_space = MemorySpace;
  using Bound = Bound_;

  Points<Dim, MemorySpace> points;                               ///< [rows][Dim]
  Kokkos::View<LocalIndex*, MemorySpace> permutation;            ///< [rows]
  Kokkos::View<Bound*, Kokkos::LayoutLeft, MemorySpace> bounds;  ///< [node_slots()]
};

/// Bounded by boxes: what a kd-tree or a space-filling curve orders.
template <int Dim, class MemorySpace>
using BoxTree = BalancedTree<Dim, MemorySpace, BoxBound<Dim>>;
/// Bounded by balls (Omohundro 1989).
template <int Dim, class MemorySpace>
using BallTree = BalancedTree<Dim, MemorySpace, BallBound<Dim>>;
/// Bounded by shells around vantage points (Yianilos 1993).
template <int Dim, class MemorySpace>
using ShellTree = BalancedTree<Dim, MemorySpace, ShellBound<Dim>>;

}  // namespace copse
