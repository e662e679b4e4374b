#pragma once
/// \file
/// The shape of a balanced binary tree, which needs no memory: leaf l holds rows [l b, (l + 1) b)
/// of the points in tree order, and nodes are a 1-based heap over a power of two of leaf slots.
///
/// Invariants
///  - Node 1 is the root, nodes 2 i and 2 i + 1 are the children of node i, and nodes from
///    `leaf_slots()` on are the leaves. All leaves have the same depth.
///  - A node's rows are contiguous, its children's rows follow each other, and every leaf but the
///    last that has rows holds exactly `bucket_size` of them. Leaf slots beyond have none.
///
/// So the tree is whatever order the rows were brought into (see balanced_tree.hpp), and what is
/// stored of a node is its bound alone.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

struct BalancedHeap {
  using Node = std::uint32_t;

  static constexpr int max_levels = 31;
  static constexpr int max_children = 2;
  /// Nodes that a depth-first walk has waiting at most.
  static constexpr int stack_size = max_levels + 1;

  Count rows = 0;
  std::uint32_t bucket_size = 1;
  int levels = 0;  ///< depth of the leaves

  KOKKOS_FUNCTION std::uint32_t leaf_slots() const { return std::uint32_t{1} << levels; }
  /// Nodes there is room for, the unused number 0 included.
  KOKKOS_FUNCTION Count node_slots() const { return Count{2} << levels; }
  KOKKOS_FUNCTION Count leaves() const { return (rows + bucket_size - 1) / bucket_size; }

  KOKKOS_FUNCTION static constexpr Node root() { return 1; }
  KOKKOS_FUNCTION bool is_leaf(Node node) const { return node >= leaf_slots(); }
  KOKKOS_FUNCTION static constexpr Node first_child(Node node) { return 2 * node; }
  KOKKOS_FUNCTION static constexpr int child_count(Node) { return 2; }
  /// Kokkos::countl_zero takes some 30 instructions of a GPU.
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
  /// The same of a leaf, in fewer instructions.
  KOKKOS_FUNCTION Segment rows_of_leaf(Node leaf) const {
    const Count begin = static_cast<Count>(leaf - leaf_slots()) * bucket_size;
    const Count end = begin + bucket_size;
    return {begin < rows ? begin : rows, end < rows ? end : rows};
  }
};

/// The shape for some rows in leaves of `bucket_size`: the least depth that holds them.
inline BalancedHeap balanced_heap(Count rows, std::uint32_t bucket_size) {
  BalancedHeap heap;
  heap.rows = rows;
  heap.bucket_size = bucket_size;
  while (heap.levels < BalancedHeap::max_levels - 1 && (Count{bucket_size} << heap.levels) < rows)
    ++heap.levels;
  return heap;
}

}  // namespace copse
