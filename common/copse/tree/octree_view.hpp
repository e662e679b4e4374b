#pragma once
/// \file
/// An octree as walks want it (copse/traversal/visitor.hpp): device-copyable, without the parts of
/// Octree that live on the host; and the top of one for the inspector.

#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse {

template <class MemorySpace>
struct OctreeView {
  using memory_space = MemorySpace;
  using Node = std::uint32_t;

  static constexpr int max_children = 8;
  /// Nodes that a depth-first walk has waiting at most: below the root a node's depth is 1 to
  /// `octree_levels`, and of each depth seven siblings wait and one is at work.
  static constexpr int stack_size = (max_children - 1) * octree_levels + 1;

  Kokkos::View<const OctreeNode*, MemorySpace> nodes;

  OctreeView() = default;
  explicit OctreeView(const Octree<MemorySpace>& tree) : nodes(tree.nodes) {}

  KOKKOS_FUNCTION static constexpr Node root() { return 0; }
  KOKKOS_FUNCTION bool is_leaf(Node node) const { return nodes(node).is_leaf(); }
  KOKKOS_FUNCTION Node first_child(Node node) const { return nodes(node).first_child; }
  KOKKOS_FUNCTION int child_count(Node node) const { return nodes(node).child_count; }
  KOKKOS_FUNCTION Segment rows_of(Node node) const { return {nodes(node).begin, nodes(node).end}; }
};

/// The top of an octree: nodes at some depth, and leaves above it, are its leaves. They are
/// numbered in the order of a depth-first walk, which is that of their rows.
template <class MemorySpace>
struct TopOctree : OctreeView<MemorySpace> {
  using Node = typename OctreeView<MemorySpace>::Node;

  Kokkos::View<LocalIndex*, MemorySpace> numbers;  ///< [nodes of the top]; of top leaves only
  Node cut = 0;                                    ///< the first node at the top's last depth
  Count top_leaves = 1;

  KOKKOS_FUNCTION bool is_leaf(Node node) const {
    return node >= cut || OctreeView<MemorySpace>::is_leaf(node);
  }
  KOKKOS_FUNCTION Count number(Node top_leaf) const { return numbers(top_leaf); }
  Count columns() const { return top_leaves; }
};

/// Cuts the top off a tree at `depth`, or at the deepest leaf if that comes first. The host numbers
/// the top's nodes, which crosses to and fro 16 and 4 bytes a node.
template <class MemorySpace>
TopOctree<MemorySpace> top_of(const Octree<MemorySpace>& tree, int depth) {
  const auto last = static_cast<std::size_t>(std::clamp(depth, 0, tree.depths() - 1));
  const Count top_nodes = tree.depth_begin[last + 1];
  TopOctree<MemorySpace> top;
  top.nodes = tree.nodes;
  top.cut = tree.depth_begin[last];
  top.numbers = decltype(top.numbers)("copse::octree::top_numbers", top_nodes);

  const auto nodes = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, Kokkos::subview(tree.nodes, std::pair<Count, Count>(0, top_nodes)));
  const auto numbers = Kokkos::create_mirror_view(top.numbers);
  std::vector<std::pair<LocalIndex, LocalIndex>> leaves;  // first row, node
  for (Count i = 0; i < top_nodes; ++i)
    if (i >= top.cut || nodes(i).is_leaf())
      leaves.emplace_back(nodes(i).begin, static_cast<LocalIndex>(i));
  std::sort(leaves.begin(), leaves.end());
  for (std::size_t number = 0; number < leaves.size(); ++number)
    numbers(leaves[number].second) = static_cast<LocalIndex>(number);
  Kokkos::deep_copy(top.numbers, numbers);
  top.top_leaves = leaves.size();
  return top;
}

}  // namespace copse
