#pragma once
/// \file
/// The kernels of remote_tree.cpp and essential_trees.cpp: they mark the nodes that another rank
/// opens, and pack and unpack messages.

#include "node_columns.hpp"
#include "top_tree.hpp"
#include <copse/backend/relaxed_access.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// Entries of TwoTrees::root_of that are no root of the forest.
inline constexpr std::int32_t inner_top_node = -1, foreign_leaf = -2;

/// The top and, below its own leaves, this rank's forest.
template <class MemorySpace, bool Relative>
struct TwoTrees {
  BarnesHut<1, MemorySpace, Relative> top, forest;
  /// [top nodes] the forest's root at a coarse leaf, or one of the above
  Kokkos::View<const std::int32_t*, MemorySpace> root_of;
};

/// Calls f with the top and the forest, by the criterion of both.
template <class MemorySpace, class F>
void with_trees(const TopTree<MemorySpace>& top, const BodyTree<MemorySpace>& own,
                const Kokkos::View<const std::int32_t*, MemorySpace>& root_of,
                const Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace>& splined,
                const F& f) {
  const auto make = [&]<bool Relative>(std::bool_constant<Relative>) {
    using Visitor = BarnesHut<1, MemorySpace, Relative>;
    return TwoTrees<MemorySpace, Relative>{
        Visitor{OctreeView<MemorySpace>(top.octree), top.gravity, {}, {}, {}, {0, splined, {}}},
        Visitor{OctreeView<MemorySpace>(own.octree), own.gravity, {}, {}, {}, {0, splined, {}}},
        root_of};
  };
  if (top.gravity.is_relative())
    f(make(std::true_type{}));
  else
    f(make(std::false_type{}));
}

/// Flags of ProbeTop: a box opens a coarse leaf of this rank, or of another.
inline constexpr std::uint8_t opens_own = 1, opens_foreign = 2;

template <class MemorySpace, bool Relative>
struct ProbeTop {
  TwoTrees<MemorySpace, Relative> trees;
  Kokkos::View<const TargetBox*, MemorySpace> boxes;
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> found;

  KOKKOS_FUNCTION void operator()(const Count b) const {
    const TargetBox box = boxes(b);
    Node stack[OctreeView<MemorySpace>::stack_size];
    int stacked = 0;
    stack[stacked++] = 0;
    std::uint8_t met = 0;
    while (stacked > 0) {
      const Node i = stack[--stacked];
      if (!trees.top.classify_box(box, i).open) continue;
      if (trees.root_of(i) != inner_top_node) {
        met |= trees.root_of(i) == foreign_leaf ? opens_foreign : opens_own;
        continue;
      }
      const OctreeNode node = trees.top.tree.nodes(i);
      for (Node c = 0; c < node.child_count; ++c) stack[stacked++] = node.first_child + c;
    }
    found(b) = met;
  }
};

/// Marks the nodes of the forest that a box opens.
template <class MemorySpace, bool Relative>
struct MarkOpened {
  TwoTrees<MemorySpace, Relative> trees;
  Kokkos::View<const TargetBox*, MemorySpace> boxes;
  Kokkos::View<const std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> found;
  Count first;                                                          ///< box
  Kokkos::View<std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> opened;  ///< [forest nodes]

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const TargetBox box = boxes(first + k);
    if ((found(first + k) & opens_own) == 0) return;
    const auto top_nodes = static_cast<Node>(trees.root_of.extent(0));
    Node stack[OctreeView<MemorySpace>::stack_size];  // nodes of the forest after those of the top
    int stacked = 0;
    stack[stacked++] = 0;
    while (stacked > 0) {
      const Node i = stack[--stacked];
      const bool at_top = i < top_nodes;
      Node below = i - top_nodes;
      if (!(at_top ? trees.top.classify_box(box, i) : trees.forest.classify_box(box, below)).open)
        continue;
      if (at_top && trees.root_of(i) == inner_top_node) {
        const OctreeNode node = trees.top.tree.nodes(i);
        for (Node c = 0; c < node.child_count; ++c) stack[stacked++] = node.first_child + c;
        continue;
      }
      if (at_top && trees.root_of(i) == foreign_leaf) continue;
      if (at_top) below = static_cast<Node>(trees.root_of(i));
      relaxed_store(&opened(below), std::uint8_t{1});
      const OctreeNode node = trees.forest.tree.nodes(below);
      for (Node c = 0; c < node.child_count; ++c)
        stack[stacked++] = top_nodes + node.first_child + c;
    }
  }
};

/// An opened node of the forest, and where its parts begin in the message.
struct OpenedNode {
  LocalIndex node;
  LocalIndex top, first_node, first_body;
};

/// Lists the opened nodes, and adds up the sizes of the message.
template <class MemorySpace>
struct ListOpened {
  struct value_type {
    EssentialSizes sizes;
    Count opened = 0;
  };

  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  Kokkos::View<const std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> opened;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> slots;  ///< as PackOpened's
  Kokkos::View<OpenedNode*, Kokkos::LayoutLeft, MemorySpace> list;         ///< room for all nodes

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = {}; }
  KOKKOS_FUNCTION void join(value_type& into, const value_type& other) const {
    into.sizes += other.sizes;
    into.opened += other.opened;
  }
  KOKKOS_FUNCTION void operator()(const Count j, value_type& sums, const bool final) const {
    if (opened(j) == 0) return;
    const OctreeNode node = nodes(j);
    if (final)
      list(sums.opened) = {static_cast<LocalIndex>(j), static_cast<LocalIndex>(sums.sizes.tops),
                           static_cast<LocalIndex>(sums.sizes.nodes),
                           static_cast<LocalIndex>(sums.sizes.bodies)};
    ++sums.opened;
    sums.sizes += {slots(j) != no_slot ? Count{1} : Count{0}, node.child_count,
                   node.is_leaf() ? Count{node.rows()} : Count{0}};
  }
};

/// Sets `place` of each listed node to its position in the list plus 1, or back to 0: not listed.
template <class MemorySpace>
struct NotePlaces {
  Kokkos::View<const OpenedNode*, Kokkos::LayoutLeft, MemorySpace> list;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> place;
  bool note;

  KOKKOS_FUNCTION void operator()(const Count k) const {
    place(list(k).node) = note ? static_cast<LocalIndex>(k + 1) : 0;
  }
};

/// Writes what an opened node contributes to a message.
template <class MemorySpace>
struct PackOpened {
  Kokkos::View<const OpenedNode*, Kokkos::LayoutLeft, MemorySpace> list;
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> place;
  NodeColumns from;
  /// [forest nodes] where the receiver has the node without its parts, or no_slot
  Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, MemorySpace> slots;
  Kokkos::View<const Monopole*, MemorySpace> bodies;
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths;
  EssentialMessage to;

  /// A node's topology in the message.
  KOKKOS_FUNCTION OctreeNode in_message(LocalIndex j) const {
    OctreeNode node = from.nodes[j];
    const LocalIndex k = place(j);
    const LocalIndex rows = node.rows();
    node.begin = node.end = 0;
    if (k == 0) {
      node.child_count = 0;
      node.first_child = j;
      node.begin = missing_row;
    } else if (node.is_leaf()) {
      node.begin = list(k - 1).first_body;
      node.end = node.begin + rows;
    } else {
      node.first_child = list(k - 1).first_node;
    }
    return node;
  }

  KOKKOS_FUNCTION void operator()(const Count k) const {
    const OpenedNode opened = list(k);
    const OctreeNode node = from.nodes[opened.node];
    if (slots(opened.node) != no_slot)
      to.tops[opened.top] = {slots(opened.node), in_message(opened.node)};
    for (LocalIndex c = 0; c < node.child_count; ++c) {
      const LocalIndex child = node.first_child + c;
      const LocalIndex slot = opened.first_node + c;
      to.nodes.nodes[slot] = in_message(child);
      to.nodes.take(slot, from, child);
    }
    if (!node.is_leaf()) return;
    for (LocalIndex row = node.begin; row < node.end; ++row) {
      const LocalIndex slot = opened.first_body + (row - node.begin);
      to.bodies[slot] = bodies(row);
      if (from.format.spline) to.lengths[slot] = lengths(row);
    }
  }
};

/// Where a message's nodes and bodies go, and the row that stands for what is missing.
struct Placement {
  LocalIndex first_node = 0, first_row = 0, missing = 0;
  std::uint16_t rank = 0;  ///< whose nodes they are

  KOKKOS_FUNCTION OctreeNode of(OctreeNode node) const {
    if (!node.is_leaf()) {
      node.first_child += first_node;
    } else if (node.begin == missing_row) {
      node.begin = missing;
      node.end = missing + 1;
      node.unused = rank;
    } else {
      node.begin += first_row;
      node.end += first_row;
    }
    return node;
  }
};

/// Item k of a message: its tops, then its nodes, then its bodies.
struct UnpackMessage {
  EssentialMessage from;
  EssentialSizes sizes;
  Placement placement;
  NodeColumns to;
  Monopole* bodies;
  Real* lengths;

  KOKKOS_FUNCTION void operator()(const Count item) const {
    Count k = item;
    if (k < sizes.tops) {
      to.nodes[from.tops[k].slot] = placement.of(from.tops[k].node);
      return;
    }
    k -= sizes.tops;
    if (k < sizes.nodes) {
      const Count slot = placement.first_node + k;
      to.nodes[slot] = placement.of(from.nodes.nodes[k]);
      to.take(slot, from.nodes, k);
      return;
    }
    k -= sizes.nodes;
    const Count slot = placement.first_row + k;
    bodies[slot] = from.bodies[k];
    if (to.format.spline) lengths[slot] = from.lengths[k];
  }
};

/// Copies the top: own coarse leaves become the forest's roots; those of others have no parts yet.
template <class MemorySpace>
struct JoinTop {
  NodeColumns top, forest, to;
  Kokkos::View<const std::int32_t*, MemorySpace> root_of;
  Placement forest_at;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    OctreeNode node = top.nodes[i];
    const std::int32_t root = root_of(i);
    if (root == foreign_leaf) {
      node.begin = missing_row;
      node = forest_at.of(node);
    } else if (root != inner_top_node) {
      node = forest_at.of(forest.nodes[root]);
    }
    to.nodes[i] = node;
    to.take(i, top, i);
  }
};

/// Copies the forest's nodes but its roots.
struct JoinForest {
  NodeColumns forest, to;
  Placement forest_at;

  KOKKOS_FUNCTION void operator()(const Count j) const {
    const Count slot = forest_at.first_node + j;  // wraps: first_node has the roots subtracted
    const auto place = static_cast<LocalIndex>(slot);
    to.nodes[place] = forest_at.of(forest.nodes[j]);
    to.take(place, forest, j);
  }
};

}  // namespace copse::gravity
