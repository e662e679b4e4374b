#pragma once
/// \file
/// An octree over particles sorted by Morton or Hilbert key, or a binary tree over particles sorted
/// by a key of the same cells.
///
/// Invariants
///  - A node is a range of particles whose keys share their first `level` digits and no more. A
///    digit has 3 bits in an octree, 1 bit in a binary tree. The node's cell is the box with those
///    digits: the smallest cell of the grid's hierarchy that contains the node's particles. In an
///    octree it is a cube; in a binary tree its sides differ by a factor of up to 2.
///  - Node 0 is the root and holds every particle; it exists even without particles. A node with
///    more than `bucket_size` particles that are not all in one finest cell is split by the next
///    digit; all other nodes are leaves. So a leaf exceeds the bucket only if its particles share
///    one key, and every inner node has 2 to 8 children (in a binary tree 2): empty octants and
///    halves have no node, and chains of only children are skipped (the level may grow by more than
///    one from parent to child).
///  - The children of a node are adjacent, in curve order, and together hold the node's particles.
///  - Nodes are stored breadth first. Those of depth d are [depth_begin[d], depth_begin[d + 1]), in
///    curve order: children come after their parents, and a sweep from the leaves to the root is
///    one kernel per depth.
///  - Nodes and cells are bitwise equal on every backend.

#include <copse/algorithms/curve_grid.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse {

/// What becomes of a node that is split.
enum class Branching : std::uint8_t {
  octree,  ///< its 8 octants
  binary   ///< its 2 halves: along x at the root, then along y, z, x and so on ([Liu 2019] 4.1.1)
};
inline constexpr std::array<const char*, 2> branching_names{"octree", "binary"};

/// Geometry of a node, read by the opening test. The bounds centre -+ half_side contain the
/// particles up to the rounding of `centre`.
struct OctreeCell {
  Kokkos::Array<Real, 3> centre{};
  Real half_side = Real{0};  ///< in a binary tree half of the longest side
};

/// Topology of a node, read once the node is opened.
struct OctreeNode {
  LocalIndex first_child = 0;    ///< 0 in a leaf: the root is never a child
  LocalIndex begin = 0;          ///< first row
  LocalIndex end = 0;            ///< one past the last row
  std::uint8_t child_count = 0;  ///< 0 in a leaf
  std::uint8_t level = 0;        ///< leading digits shared by its particles' keys, 0 to the finest
  std::uint16_t unused = 0;

  KOKKOS_FUNCTION bool is_leaf() const { return child_count == 0; }
  KOKKOS_FUNCTION LocalIndex rows() const { return end - begin; }
};
static_assert(sizeof(OctreeNode) == 16, "a node is one 16-byte load");

/// Levels of the finest cells.
inline constexpr int octree_levels = curve_bits<3>;
inline constexpr int binary_levels = 3 * octree_levels;

/// Number of halvings of the root's side along an axis down to a level. \param bits of a digit: 3
/// in an octree, 1 in a binary tree
KOKKOS_INLINE_FUNCTION constexpr int halvings_of(int level, int axis, int bits) {
  return bits == 3 ? level : (level + 2 - axis) / 3;
}

/// The cell of a level that contains a finest cell. The product of the 22-bit count and the grid's
/// 24-bit side is exact, so the sum is the only rounding, with or without FMA contraction.
KOKKOS_INLINE_FUNCTION OctreeCell cell_of_level(const CurveGrid<3>& grid,
                                                const CurveCell<3>& finest, int level, int bits) {
  const auto half_side = [&](int axis) {
    return grid.side / static_cast<double>(Count{2} << halvings_of(level, axis, bits));
  };
  OctreeCell cell;
  for (int a = 0; a < 3; ++a) {
    const int finer = octree_levels - halvings_of(level, a, bits);
    cell.centre[a] = static_cast<Real>(
        grid.lower[a] + static_cast<double>(2 * (finest[a] >> finer) + 1) * half_side(a));
  }
  cell.half_side = static_cast<Real>(half_side(2));  // z is halved last
  return cell;
}

/// A finished octree, or a forest (OctreeBuilder::build_forest). Kernels take the Views or an
/// OctreeView, because this struct has host members.
template <class MemorySpace>
struct Octree {
  Kokkos::View<OctreeNode*, MemorySpace> nodes;
  Kokkos::View<OctreeCell*, MemorySpace> cells;
  std::vector<LocalIndex> depth_begin;  ///< [depths + 1]
  CurveGrid<3> grid;                    ///< the grid of the Morton keys
  std::uint32_t bucket_size = 1;

  Count size() const { return nodes.extent(0); }
  int depths() const { return static_cast<int>(depth_begin.size()) - 1; }
};

/// The device-copyable part of an octree, as the walks take it (copse/traversal/visitor.hpp).
template <class MemorySpace>
struct OctreeView {
  using memory_space = MemorySpace;
  using Node = std::uint32_t;

  static constexpr int max_children = 8;
  /// Maximum stack depth, in nodes, of a depth-first walk: nodes below the root have depths 1 to
  /// `octree_levels`; per depth the stack holds seven siblings, and one node is being visited. A
  /// binary tree is three times as deep, with one sibling per depth.
  static constexpr int stack_size = (max_children - 1) * octree_levels + 1;
  static_assert(stack_size >= binary_levels + 1);

  Kokkos::View<const OctreeNode*, MemorySpace> nodes;

  OctreeView() = default;
  explicit OctreeView(const Octree<MemorySpace>& tree) : nodes(tree.nodes) {}

  KOKKOS_FUNCTION static constexpr Node root() { return 0; }
  KOKKOS_FUNCTION bool is_leaf(Node node) const { return nodes(node).is_leaf(); }
  KOKKOS_FUNCTION Node first_child(Node node) const { return nodes(node).first_child; }
  KOKKOS_FUNCTION int child_count(Node node) const { return nodes(node).child_count; }
  KOKKOS_FUNCTION Segment rows_of(Node node) const { return {nodes(node).begin, nodes(node).end}; }
};

/// The top of an octree: its leaves are the nodes at a given depth and the leaves above it,
/// numbered in depth-first order, which is the order of their particles.
template <class MemorySpace>
struct TopOctree : OctreeView<MemorySpace> {
  using Node = typename OctreeView<MemorySpace>::Node;

  Kokkos::View<LocalIndex*, MemorySpace>
      numbers;   ///< [nodes of the top]; valid for top leaves only
  Node cut = 0;  ///< the first node at the top's last depth
  Count top_leaves = 1;

  KOKKOS_FUNCTION bool is_leaf(Node node) const {
    return node >= cut || OctreeView<MemorySpace>::is_leaf(node);
  }
  KOKKOS_FUNCTION Count number(Node top_leaf) const { return numbers(top_leaf); }
  Count columns() const { return top_leaves; }
};

/// Cuts off the top of a tree at `depth`, or at the deepest leaf if that is higher. The host
/// numbers the top's nodes: it copies 16 bytes per node to the host and 4 back.
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
