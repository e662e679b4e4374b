#pragma once
/// \file
/// Points put in the order of an ORB tree's leaves, whether the tree was cut from them or not.
///
/// A point belongs to the leaf that is found by walking down from the root: left of a cut lies what
/// is at or below it. Invariant: rows of a leaf keep their order, so the result is the stable sort
/// by leaf and the same on every backend.
///
/// Up to 64 leaves every row moves once, by the tile, so that neighbouring threads write
/// neighbouring rows. More leaves take the counting sort of destination_order.hpp and a gather.

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

  /// Copies `points` [n][3] to `to` [n][3] in the order of the leaves of `tree`, at most 2^32 of
  /// them. Returns the rows of each leaf, left to right. Complete on return. With up to 64 leaves
  /// 9 + 29 bytes a row, at two levels: coordinates on the way down and a byte that says where to;
  /// then all coordinates in and out, and the row.
  std::vector<Count> move(const OrbTree<MemorySpace>& tree, const Points<3, MemorySpace>& points,
                          const Points<3, MemorySpace>& to);

  /// [n] The row that was brought to each place by the last `move`; stays until the next.
  Rows rows() const { return rows_; }

  /// Takes another column [n][3] of the same rows along. No synchronisation. 25 bytes a row.
  void move_along(const Points<3, MemorySpace>& from, const Points<3, MemorySpace>& to) const;

  /// to(row) = from(place of the row), for 32- or 64-bit numbers `from` [n] that become 64-bit
  /// ones. No synchronisation. Up to 64 leaves the rows of a tile are written at about the same
  /// time, so that they leave the cache as whole lines: 4 bytes a row beside the numbers.
  template <class T>
  void bring_back(const Numbers<T>& from, const Numbers<std::uint64_t>& to) const;

  /// Bytes kept for n rows.
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
  CellPlaces<MemorySpace> places_;  ///< if so
  Rows rows_;
};

}  // namespace copse
