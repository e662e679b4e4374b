#pragma once
/// \file
/// An octree over rows sorted by Morton key.
///
/// Invariants
///  - Row i's key lies in that of the cell of each node that holds it: a node is a range of rows
///    whose keys share their first `level` digits and no more. Its cell is the cube those digits
///    name, the smallest cell of the grid's hierarchy that holds the node's rows.
///  - Node 0 is the root and holds every row; it exists even if there are none. A node with more
///    than `bucket_size` rows that are not all in one finest cell is split by the next digit; the
///    others are leaves. So a leaf exceeds the bucket only if its rows share one key, and every
///    inner node has 2 to 8 children: empty octants have no node, and a chain of only children is
///    skipped (levels may grow by more than one from parent to child).
///  - The children of a node follow each other, in Morton order, and their rows make up the node's.
///  - Nodes are stored breadth first. Those of depth d are [depth_begin[d], depth_begin[d + 1]), in
///    Morton order: children always come after their parents, and a sweep from the leaves to the
///    root is one kernel per depth.
///  - Nodes and cells are the same bits on every backend.

#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse {

/// Where a node lies: what a geometric opening test reads. The bounds centre -+ half_side hold the
/// rows up to the rounding of `centre`.
struct OctreeCell {
  Kokkos::Array<Real, 3> centre{};
  Real half_side = Real{0};
};

/// How a node is connected: what a walk reads once a node is opened.
struct OctreeNode {
  LocalIndex first_child = 0;    ///< 0 in a leaf: the root is nobody's child
  LocalIndex begin = 0;          ///< first row
  LocalIndex end = 0;            ///< one past the last row
  std::uint8_t child_count = 0;  ///< 0 in a leaf
  std::uint8_t level = 0;        ///< digits its rows' keys share, 0 to `octree_levels`
  std::uint16_t unused = 0;

  KOKKOS_FUNCTION bool is_leaf() const { return child_count == 0; }
  KOKKOS_FUNCTION LocalIndex rows() const { return end - begin; }
};
static_assert(sizeof(OctreeNode) == 16, "a node is one 16-byte load");

/// Level of the finest cells.
inline constexpr int octree_levels = curve_bits<3>;

/// Digits that all keys between two keys share.
KOKKOS_INLINE_FUNCTION int common_octree_level(std::uint64_t first, std::uint64_t last) {
  if (first == last) return octree_levels;
  const int highest = 63 - Kokkos::countl_zero(first ^ last);
  return octree_levels - 1 - highest / 3;
}

/// A finished octree. Kernels take the Views, not the struct, which has parts on the host.
template <class MemorySpace>
struct Octree {
  Kokkos::View<OctreeNode*, MemorySpace> nodes;
  Kokkos::View<OctreeCell*, MemorySpace> cells;
  std::vector<LocalIndex> depth_begin;  ///< [depths + 1]
  CurveGrid<3> grid;                    ///< what the keys count in
  std::uint32_t bucket_size = 1;

  Count size() const { return nodes.extent(0); }
  int depths() const { return static_cast<int>(depth_begin.size()) - 1; }
};

}  // namespace copse
