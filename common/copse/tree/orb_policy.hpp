#pragma once
/// \file
/// ORB as a policy of the bisection engine. The key is the coordinate along the cell's longest axis
/// (or, as in a kd-tree, the axes in turn). The rank is the left leaves' share of the particles. A
/// cell is cut if it has more than one leaf ([Rehmann 2022] section 3.3, algorithm 1).

#include <copse/tree/cut.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

struct OrbPolicy {
  using Cell = OrbCell;
  using Value = Real;

  LeafRule rule = LeafRule::complete;
  AxisRule axis_rule = AxisRule::longest;
  int first_axis = 0;  ///< axis of the root's cut, for cyclic axes

  KOKKOS_FUNCTION bool open(const OrbCell& cell) const { return cell.leaves > 1; }

  KOKKOS_FUNCTION void prepare(OrbCell& cell, std::uint32_t slot) const {
    cell.cut_axis = copse::cut_axis(axis_rule, slot, cell.box(), first_axis);
  }

  KOKKOS_FUNCTION Count rank(const OrbCell& cell) const { return share(cell, cell.size()); }
  /// The left child's share of `total`, the cell's particle count or weight.
  KOKKOS_FUNCTION Count share(const OrbCell& cell, Count total) const {
    return left_particles(total, left_leaves(cell.leaves, rule), cell.leaves, rule);
  }
  /// True: left gets at least its share; false: at most.
  KOKKOS_FUNCTION bool share_is_a_least() const { return rule == LeafRule::halves; }

  /// The particles of a leaf, which has no axis, are moved with the others: any axis is valid.
  template <class PointSet>
  KOKKOS_FUNCTION CoordinateKey key(const OrbCell& cell, const PointSet& points) const {
    return coordinate_key(points, cell.cut_axis < 0 ? 0 : cell.cut_axis);
  }
  KOKKOS_FUNCTION Real lowest(const OrbCell& cell) const { return cell.lower[cell.cut_axis]; }

  KOKKOS_FUNCTION void split(OrbCell& cell, const Cut<Real>& cut, OrbCell& left,
                             OrbCell& right) const {
    const int axis = cell.cut_axis;
    cell.cut = left.upper[axis] = right.lower[axis] = cut.plane(cell.lower[axis], cell.upper[axis]);
    left.leaves = left_leaves(cell.leaves, rule);
    right.leaves = cell.leaves - left.leaves;
    left.cut_axis = right.cut_axis = -1;
    left.cut = right.cut = Real{0};
  }
};

}  // namespace copse
