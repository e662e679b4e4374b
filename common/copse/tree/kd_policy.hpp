#pragma once
/// \file
/// The kd-tree as a policy of the bisection engine: cells are cut at the row that fills the left
/// subtree's leaves, along the longest side of what is known of the cell's extent, or the axes in
/// turn (Bentley 1975). Ties are divided, so the tree is balanced whatever the points.

#include <copse/particles/points.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/tree_level.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A cell while the tree is built.
template <int Dim>
struct KdCell {
  Count begin = 0;
  Count end = 0;
  Kokkos::Array<Real, Dim> lower{};
  Kokkos::Array<Real, Dim> upper{};
  std::int32_t height = 0;  ///< levels below
  std::int32_t axis = 0;
};

template <int Dim>
struct KdPolicy {
  using Cell = KdCell<Dim>;
  using Value = Real;
  static constexpr bool divides_ties = true;

  std::uint32_t bucket_size = 1;
  AxisRule axis_rule = AxisRule::longest;

  KOKKOS_FUNCTION bool open(const Cell& cell) const {
    return cell.height > 0 && cell.end - cell.begin > bucket_size;
  }

  KOKKOS_FUNCTION void prepare(Cell& cell, std::uint32_t slot) const {
    cell.axis = 0;
    if (axis_rule == AxisRule::cyclic) {
      cell.axis = heap_level(slot) % Dim;
      return;
    }
    for (int a = 1; a < Dim; ++a)
      if (cell.upper[a] - cell.lower[a] > cell.upper[cell.axis] - cell.lower[cell.axis])
        cell.axis = a;
  }

  /// The rows that the left subtree has room for.
  KOKKOS_FUNCTION Count rank(const Cell& cell) const {
    const Count room = Count{bucket_size} << (cell.height - 1);
    const Count rows = cell.end - cell.begin;
    return rows < room ? rows : room;
  }

  template <class PointSet>
  KOKKOS_FUNCTION CoordinateKey key(const Cell& cell, const PointSet& points) const {
    return CoordinateKey{points.data() + points.stride(1) * cell.axis};
  }

  /// The children's extent ends at the points next to the cut, not at a plane between them.
  KOKKOS_FUNCTION void split(Cell& cell, const Cut<Real>& cut, Cell& left, Cell& right) const {
    left.lower = right.lower = cell.lower;
    left.upper = right.upper = cell.upper;
    if (cut.left > 0) left.upper[cell.axis] = cut.left_max;
    if (cut.right > 0) right.lower[cell.axis] = cut.right_min;
    left.height = right.height = cell.height - 1;
    left.axis = right.axis = 0;
  }
};

}  // namespace copse
