#pragma once
/// \file
/// Builds octrees on any backend: sort once, then read the tree off the sorted keys.

#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

struct OctreeOptions {
  std::uint32_t bucket_size = 16;  ///< most rows of a leaf whose rows' keys differ; >= 1
  Box<3> box = unit_box<3>();      ///< should contain every point; see CurveGrid for those outside
};

/// Most rows of an octree: their range must fit in a node's 32-bit indices.
inline constexpr Count max_octree_rows = (Count{1} << 32) - 1;

/// \throws InputError if the bucket holds nothing or there are too many rows
void check_octree_size(Count rows, std::uint32_t bucket_size);

/// Nodes to plan for: what evenly spread rows need at most, when every finest inner node holds one
/// row more than the bucket and has eight leaves. The suite's generators were measured to need 2.5
/// to 5.5 nodes a bucketful; far-off groups of near neighbours may need up to 2 a row.
constexpr Count estimated_octree_nodes(Count rows, std::uint32_t bucket_size) {
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

  /// Builds the tree of `points`. On return `points` is in Morton order and `permutation(i)` is the
  /// row that point i had before (`permutation` is allocated if it has not n rows); points of equal
  /// key keep their order. The handle in `points` may then refer to another allocation than before:
  /// keep no other View of it. Work O(n) for the sort and O(nodes log n) for the tree.
  /// \throws InputError as check_octree_size, or if there are 2^32 nodes or more.
  Octree<MemorySpace> build(Points<3, MemorySpace>& points, Permutation& permutation,
                            const OctreeOptions& options);

  /// Builds the tree of rows whose Morton keys in `grid` are `keys`, in ascending order (not
  /// checked). One pass of three kernels over the nodes of each depth.
  /// \throws InputError as `build`.
  Octree<MemorySpace> build_sorted(const Keys& keys, const CurveGrid<3>& grid,
                                   std::uint32_t bucket_size);

  /// Bytes `build` allocates for n points beside its arguments, the tree's included, if it has
  /// `estimated_octree_nodes`.
  static Count estimate_bytes(Count n, std::uint32_t bucket_size);

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> spare_points_;
};

}  // namespace copse
