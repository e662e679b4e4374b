#pragma once
/// \file
/// Balanced binary trees of points: kd-trees, ball trees, vantage-point trees and space-filling
/// curve trees are one structure. They differ in the order of the particles and in the bound.
///
/// Invariants of the shape (BalancedHeap), which needs no memory
///  - Node 1 is the root, nodes 2 i and 2 i + 1 are the children of node i, and nodes from
///    `leaf_slots()` on are the leaves. All leaves have the same depth.
///  - Leaf l holds particles [l b, (l + 1) b) in tree order. A node's particles are contiguous, its
///    children's ranges are adjacent, and every non-empty leaf but the last holds exactly
///    `bucket_size` particles. The leaf slots after the last non-empty leaf are empty.
///
/// Invariants of the tree
///  - `points(i, a)` are the input points in tree order; particle i was input particle
///    `permutation(i)`.
///  - `bounds(node)` bounds a node's points. An empty box is infinitely far from every query, an
///    empty ball or shell about `unreachable` (fit_bounds.hpp) or farther.
///
/// Any order of the particles gives a correct tree; a good order makes the bounds small.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// The particles of a leaf, in 32 bits: a GPU needs two instructions or more for each one on 64.
struct LeafSpan {
  LocalIndex begin = 0;
  std::uint32_t size = 0;
};

struct BalancedHeap {
  using Node = std::uint32_t;

  static constexpr int max_levels = 31;
  static constexpr int max_children = 2;
  /// Maximum stack depth, in nodes, of a depth-first walk.
  static constexpr int stack_size = max_levels + 1;

  Count rows = 0;
  std::uint32_t bucket_size = 1;
  int levels = 0;  ///< depth of the leaves

  KOKKOS_FUNCTION std::uint32_t leaf_slots() const { return std::uint32_t{1} << levels; }
  /// Node slots, including the unused slot 0.
  KOKKOS_FUNCTION Count node_slots() const { return Count{2} << levels; }
  KOKKOS_FUNCTION Count leaves() const { return (rows + bucket_size - 1) / bucket_size; }

  KOKKOS_FUNCTION static constexpr Node root() { return 1; }
  KOKKOS_FUNCTION bool is_leaf(Node node) const { return node >= leaf_slots(); }
  KOKKOS_FUNCTION static constexpr Node first_child(Node node) { return 2 * node; }
  KOKKOS_FUNCTION static constexpr int child_count(Node) { return 2; }
  /// The builtin, because Kokkos::countl_zero takes some 30 instructions on a GPU.
  KOKKOS_FUNCTION static int depth(Node node) {
    return 31 - Kokkos::Experimental::countl_zero_builtin(node);
  }

  KOKKOS_FUNCTION Segment rows_of(Node node) const {
    const int height = levels - depth(node);
    const Count first = (Count{node} << height) - leaf_slots();
    const Count begin = first * bucket_size;
    const Count end = begin + (Count{bucket_size} << height);
    return {begin < rows ? begin : rows, end < rows ? end : rows};
  }
  /// As rows_of, for a leaf, in fewer instructions.
  KOKKOS_FUNCTION LeafSpan rows_of_leaf(Node leaf) const {
    const Count first = static_cast<Count>(leaf - leaf_slots()) * bucket_size;
    const auto begin = static_cast<LocalIndex>(first < rows ? first : rows);
    const auto after = static_cast<LocalIndex>(rows) - begin;
    return {begin, after < bucket_size ? after : bucket_size};
  }
};

/// Shape for `rows` particles in leaves of `bucket_size`: the least depth that holds them.
inline BalancedHeap balanced_heap(Count rows, std::uint32_t bucket_size) {
  BalancedHeap heap;
  heap.rows = rows;
  heap.bucket_size = bucket_size;
  while (heap.levels < BalancedHeap::max_levels - 1 && (Count{bucket_size} << heap.levels) < rows)
    ++heap.levels;
  return heap;
}

template <int Dim, class MemorySpace, class Bound_ = BoxBound<Dim>>
struct BalancedTree : BalancedHeap {
  static constexpr int dimension = Dim;
  using memory_space = MemorySpace;
  using Bound = Bound_;

  Points<Dim, MemorySpace> points;                               ///< [rows][Dim]
  Kokkos::View<LocalIndex*, MemorySpace> permutation;            ///< [rows]
  Kokkos::View<Bound*, Kokkos::LayoutLeft, MemorySpace> bounds;  ///< [node_slots()]
};

/// Box bounds: kd-trees and space-filling curves.
template <int Dim, class MemorySpace>
using BoxTree = BalancedTree<Dim, MemorySpace, BoxBound<Dim>>;
/// Ball bounds (Omohundro 1989).
template <int Dim, class MemorySpace>
using BallTree = BalancedTree<Dim, MemorySpace, BallBound<Dim>>;
/// Shell bounds around vantage points (Yianilos 1993).
template <int Dim, class MemorySpace>
using ShellTree = BalancedTree<Dim, MemorySpace, ShellBound<Dim>>;

}  // namespace copse
