#pragma once
/// \file
/// Sorts points by the leaves of an ORB tree, which may have been cut from other points.
///
/// A point's leaf is found by descending from the root: points at or below a cut go left.
/// Invariant: points of a leaf keep their order, so the result is the stable sort by leaf and the
/// same on every backend.
///
/// With up to 64 leaves every point moves once, tile by tile, so that neighbouring threads write
/// neighbouring elements. More leaves use the counting sort of destination_order.hpp and a gather.

#include <copse/algorithms/workspace.hpp>
#include <copse/particles/destination_order.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/cell_places.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse {

template <class ExecutionSpace>
class RowsByLeaf {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Rows = Kokkos::View<const LocalIndex*, MemorySpace>;
  template <class T>
  using Numbers = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  explicit RowsByLeaf(const ExecutionSpace& space = {}) : space_(space) {}

  /// Copies `points` [n][3], n <= 2^32, to `to` [n][3] in the order of the leaves of `tree`.
  /// Returns the number of points of each leaf, left to right. Complete on return. With up to 64
  /// leaves 9 + 29 bytes per point for a tree of two levels: coordinates on the descent and one
  /// byte for the leaf; then all coordinates in and out, and the index.
  std::vector<Count> move(const OrbTree<MemorySpace>& tree, const Points<3, MemorySpace>& points,
                          const Points<3, MemorySpace>& to);

  /// [n] Previous index of the point at each position after the last `move`; valid until the next.
  Rows rows() const { return rows_; }

  /// Moves another column [n][3] of the same points. Asynchronous. 25 bytes per point.
  void move_along(const Points<3, MemorySpace>& from, const Points<3, MemorySpace>& to) const;

  /// to(row) = from(position of the point after the move), converting 32- or 64-bit numbers `from`
  /// [n] to 64 bits. Asynchronous. With up to 64 leaves the elements of a tile are written at about
  /// the same time, so that they leave the cache as full lines: 4 bytes per point in addition to
  /// the numbers.
  template <class T>
  void bring_back(const Numbers<T>& from, const Numbers<std::uint64_t>& to) const;

  /// Bytes kept for n points.
  static Count estimate_bytes(Count n, std::uint32_t leaves);

 private:
  static bool in_one_move(std::uint32_t leaves) { return leaves <= most_unmoved_cells; }
  DecisionTree decisions(const OrbTree<MemorySpace>& tree, const Points<3, MemorySpace>& points);
  std::vector<Count> move_at_once(const OrbTree<MemorySpace>& tree,
                                  const Points<3, MemorySpace>& points,
                                  const Points<3, MemorySpace>& to);
  std::vector<Count> sort_and_gather(const OrbTree<MemorySpace>& tree,
                                     const Points<3, MemorySpace>& points,
                                     const Points<3, MemorySpace>& to);

  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  bool moved_at_once_ = false;
  CellPlaces<MemorySpace> places_;  ///< if moved at once
  Rows rows_;
};

}  // namespace copse
