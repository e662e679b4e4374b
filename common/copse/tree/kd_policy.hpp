#pragma once
/// \file
/// The kd-tree as a policy of the bisection engine: cells are cut along the longest side of their
/// known extent, or along the axes in turn (Bentley 1975).

#include <copse/backend/unroll.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/balanced_policy.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// A cell while the tree is built.
template <int Dim>
struct KdCell : BalancedCell {
  Kokkos::Array<Real, Dim> lower{};
  Kokkos::Array<Real, Dim> upper{};
  std::int32_t axis = 0;
};

template <int Dim>
struct KdPolicy : BalancedPolicy {
  using Cell = KdCell<Dim>;

  AxisRule axis_rule = AxisRule::longest;

  KOKKOS_FUNCTION void prepare(Cell& cell, std::uint32_t slot) const {
    cell.axis = cut_axis<Dim>(axis_rule, slot, {cell.lower, cell.upper, {}});
  }

  template <class PointSet>
  KOKKOS_FUNCTION CoordinateKey key(const Cell& cell, const PointSet& points) const {
    return coordinate_key(points, cell.axis);
  }

  /// The children's extents end at the points next to the cut, not at a plane between them.
  KOKKOS_FUNCTION void split(Cell& cell, const Cut<Real>& cut, Cell& left, Cell& right) const {
    // A loop, because an array indexed by a variable is not in registers.
    COPSE_UNROLL
    for (int a = 0; a < Dim; ++a) {
      if (a == cell.axis && cut.left > 0) left.upper[a] = cut.left_max;
      if (a == cell.axis && cut.right > 0) right.lower[a] = cut.right_min;
    }
    left.height = right.height = cell.height - 1;
    left.axis = right.axis = 0;
  }
};

}  // namespace copse
