#pragma once
/// \file
/// Builds octrees and binary trees on any backend: sorts once, then derives the tree from the
/// sorted keys.

#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

/// Number of leading digits shared by all keys in [first, last].
template <int Bits>
KOKKOS_INLINE_FUNCTION int common_level(std::uint64_t first, std::uint64_t last) {
  constexpr int levels = binary_levels / Bits;
  if (first == last) return levels;
  const int highest = 63 - Kokkos::countl_zero(first ^ last);
  return levels - 1 - highest / Bits;
}

struct OctreeOptions {
  std::uint32_t bucket_size = 16;  ///< maximum particles of a leaf with differing keys; >= 1
  /// Order of the particles and of a node's children; cells are the same for both. Consecutive
  /// particles are closer together along the Hilbert curve. A binary tree has an order of its own,
  /// a Morton curve whose keys halve x first.
  Curve curve = Curve::morton;
  Box<3> box = unit_box<3>();  ///< should contain every point; see CurveGrid for those outside
  Branching branching = Branching::octree;
};

/// Maximum particles of an octree: ranges must fit a node's 32-bit indices.
inline constexpr Count max_octree_rows = (Count{1} << 32) - 1;

/// \throws InputError if the bucket size is 0 or there are too many particles
void check_octree_size(Count rows, std::uint32_t bucket_size);

/// Estimated number of nodes: an upper bound for uniform particles, where every finest inner node
/// holds one particle more than the bucket and has eight leaves. The suite's generators need 2.5 to
/// 5.5 nodes per bucketful (measured); isolated tight groups may need up to 2 nodes per particle.
/// In a binary tree such an inner node has two leaves.
constexpr Count estimated_octree_nodes(Count rows, std::uint32_t bucket_size,
                                       Branching branching = Branching::octree) {
  if (branching == Branching::binary) return 1 + rows * 4 / Count{bucket_size};
  return 1 + rows * 64 / (7 * Count{bucket_size});
}

/// Builds octrees, keeping its work arrays between builds of equal size.
template <class ExecutionSpace>
class OctreeBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;
  using Keys = Kokkos::View<const std::uint64_t*, MemorySpace>;

  explicit OctreeBuilder(const ExecutionSpace& space = {}) : space_(space) {}

  /// Builds the tree of `points`. On return `points` is in curve order and `permutation(i)` is the
  /// previous index of particle i (`permutation` is allocated if its extent is not n); particles of
  /// equal key keep their order. `points` may then refer to another allocation than before: keep no
  /// other View of it. O(n) for the sort and O(nodes log n) for the tree.
  /// \throws InputError as check_octree_size, or if there are 2^32 nodes or more.
  Octree<MemorySpace> build(Points<3, MemorySpace>& points, Permutation& permutation,
                            const OctreeOptions& options);

  /// Builds one tree for each of several consecutive parts of the points along the curve. Part r is
  /// [root_begin[r], root_begin[r + 1]): all points of one cell, at least one. `root_begin` has
  /// parts + 1 elements. The roots are nodes 0 to parts - 1; the nodes below are those that a tree
  /// with more points elsewhere has in these cells. Otherwise as `build`, which has one part.
  Octree<MemorySpace> build_forest(Points<3, MemorySpace>& points, Permutation& permutation,
                                   const OctreeOptions& options,
                                   const std::vector<Count>& root_begin);

  /// The keys by which `build` orders the points, ascending, and the points' rows in this order.
  /// The points are not changed; the keys are valid until the next call of any method.
  Keys sorted_keys(const Points<3, MemorySpace>& points, Permutation& permutation,
                   const OctreeOptions& options);

  /// Bytes `build` allocates for n points in addition to its arguments, including the tree, for
  /// `estimated_octree_nodes` nodes.
  static Count estimate_bytes(Count n, std::uint32_t bucket_size,
                              Branching branching = Branching::octree);

 private:
  /// Builds the tree of `points` in the order of their ascending `keys`. Three kernels per depth,
  /// over the nodes of that depth.
  /// \tparam Bits of a digit: 3 in an octree, 1 in a binary tree
  template <int Bits>
  Octree<MemorySpace> build_nodes(const Keys& keys, const Points<3, MemorySpace>& points,
                                  const CurveGrid<3>& grid, std::uint32_t bucket_size,
                                  const std::vector<Count>& root_begin);

  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> spare_points_;
};

}  // namespace copse
