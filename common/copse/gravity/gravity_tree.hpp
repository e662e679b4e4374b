#pragma once
/// \file
/// An octree for gravity: the moments of its nodes, its particles as point masses, and the opening
/// radius of each node.
///
/// Invariants of the moments
///  - Array element i belongs to node i of the tree.
///  - No particle of a node lies farther from its stored centre than `reach` (b_max of
///    [Salmon, Warren 1994]). In a leaf it is the distance of the farthest particle; in an inner
///    node, the smaller of the limits from the children's reaches and from the corners of the
///    bounds.
///  - `bounds` is the tight bounding box of the particles. Without particles it is empty: lower >
///    upper.
///  - The centre of mass of a massless node is its cell's centre.
///
/// Invariants of the opening radii
///  - A target beyond a node's opening radius from its centre of mass accepts the node. The radius
///    is that of an OpeningCriterion.
///  - No opening radius is less than the node's reach: a target inside the node opens it at every
///    theta, so no particle acts on itself.
///  - `opening2` holds the squares, rounded up. With theta = 0 all are infinite: every leaf is
///    opened and the walk is a direct summation.
///  - With the relative criterion a node of mass M and cell side s has no radius: `opening2` holds
///    sqrt(M) s, and a target at distance r opens the node if r^2 limit <= sqrt(M) s, with its own
///    `limit` of sqrt(alpha |a|), or if it is inside the node's cube. Cubes hold all particles of
///    the node, and are at least 1.2 times as wide as its cell. With alpha = 0 every leaf is
///    opened.
///
/// A walk reads three separate arrays: centre and mass of every visited node, one aligned 16-byte
/// load; the opening radius of every visited node, 4 bytes; the higher moments of accepted nodes
/// only.
///
/// Arithmetic: results are stored as `Real`, intermediates are double, so the moments of a node are
/// rounded once at any depth. The double-precision work is small compared with one interaction list
/// even on a GPU with 1/64 double rate. Sums run over a leaf's particles and a node's children in
/// order, without FMA, so results are bitwise equal on every backend. Errors against exact sums:
/// one rounding to `Real` for masses and centres; for a moment of rank n, that relative to m b^n.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/gravity/moments.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/bounds.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace copse {

/// The bounding box of a node's particles.
struct NodeBounds {
  Kokkos::Array<Real, 3> lower{};
  Kokkos::Array<Real, 3> upper{};
};

/// The moments of an octree's nodes up to Order, 1 to 4.
template <int Order, class MemorySpace>
struct Multipoles {
  Kokkos::View<Monopole*, MemorySpace> monopole;
  Kokkos::View<Moments<Order>*, MemorySpace> higher;  ///< empty for order 1
  Kokkos::View<Real*, MemorySpace> reach;
  Kokkos::View<NodeBounds*, MemorySpace> bounds;
};

/// Computes the moments of every node of `tree` from its particles: `points` in tree order and
/// their non-negative masses. `into` is allocated if its extents differ from the tree's. One kernel
/// for the leaves, then one per depth from the deepest to the root; one thread per node, so
/// coincident particles in one leaf are summed by one thread. O(particles + nodes); scratch 40, 80,
/// 160 and 280 bytes per node for orders 1 to 4. Returns when the work is done.
///
/// Bytes, with Real = float and order 2: 16 read per particle (28 more from cache, because leaves
/// are read three times); 16 read and 148 written per node, 124 read per child.
/// \throws InputError if `masses` does not have one entry per particle
template <int Order, class ExecutionSpace>
void compute_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<Order, typename ExecutionSpace::memory_space>& into);

/// The sums in double behind the moments of every node that the last compute_multipoles of this
/// workspace left in it, for `tree`; valid until the next call.
template <int Order, class MemorySpace>
Kokkos::View<MomentSums<Order>*, Kokkos::LayoutLeft, MemorySpace> multipole_sums(
    const Octree<MemorySpace>& tree, Workspace<MemorySpace>& workspace) {
  return workspace.template get<MomentSums<Order>>("multipoles::moments", tree.size());
}

/// A leaf of the top of a tree, as the owner of the particles below computed it.
template <int Order>
struct TopLeaf {
  MomentSums<Order> sums;
  Monopole monopole;
  Real reach = 0;
  NodeBounds bounds;
};

/// The moments of the top of a tree whose leaves are given: `leaves(k)` is node `leaf_nodes(k)` of
/// `top`. The results equal, bit by bit, those of compute_multipoles for these nodes of the whole
/// tree. `into` is allocated if its extents differ. Returns when the work is done.
template <int Order, class ExecutionSpace>
void compute_top_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& top,
    const Kokkos::View<const TopLeaf<Order>*, typename ExecutionSpace::memory_space>& leaves,
    const Kokkos::View<const std::uint32_t*, typename ExecutionSpace::memory_space>& leaf_nodes,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<Order, typename ExecutionSpace::memory_space>& into);

/// The opening radius of a node, with s the side of its cell, d the distance of its centre of mass
/// from the cell's centre, and b its reach.
enum class OpeningKind : std::uint8_t {
  /// s / theta + d: a target sees the cell under an angle of less than theta, wherever the mass is
  /// in the cell ([Barnes 2001]; without d it is the rule of [Barnes, Hut 1986]).
  barnes,
  /// 2 b / (sqrt(3) theta), and at least b ([Liu 2019] figure 5.5). Nodes of up to 6 particles are
  /// always opened.
  changa,
  bmax,  ///< b / theta ([Salmon, Warren 1994])
  /// s / theta + b: no particle of an accepted node is nearer than s / theta. The criterion of
  /// minimum distance of [Salmon, Warren 1994], with the ball of radius b for the cell.
  min_distance,
  /// (M s^2 / (alpha |a|))^(1/4), with a the target's last acceleration for G = 1: the first
  /// neglected term of the node's field, about M s^2 / r^4, is at most alpha |a|. A target inside
  /// the node's cell opens it ([Springel 2005] section 3.1).
  relative
};
inline constexpr std::array<const char*, 5> opening_names{"barnes", "changa", "bmax",
                                                          "min-distance", "relative"};

struct OpeningCriterion {
  OpeningKind kind = OpeningKind::barnes;
  double theta = 0.6;
  double alpha = 0.0025;  ///< of OpeningKind::relative, which has no theta
};

/// OpeningKind::changa always opens nodes of up to this many particles.
inline constexpr Count always_opened_by_changa = 6;

/// The square of an opening radius, rounded up: `by_angle`, but at least a few ulps more than
/// `reach`, because walks round the distances that they compare.
KOKKOS_INLINE_FUNCTION Real squared_opening_radius(double by_angle, double reach) {
  const double slack = 4.0 * static_cast<double>(Kokkos::Experimental::epsilon_v<Real>);
  const double by_reach = reach * (1.0 + slack);
  const double radius = by_angle > by_reach ? by_angle : by_reach;
  if (radius == 0.0) return Real(0);
  return Kokkos::nextafter(static_cast<Real>(radius * radius),
                           Kokkos::Experimental::infinity_v<Real>);
}

/// Spline softening of a node (node_softening.hpp).
struct NodeSoftening {
  Real length = 0;    ///< mean of its particles
  Real opening2 = 0;  ///< square of the opening radius where softening balls overlap
};

/// The targets of a group, for opening tests.
struct TargetBox : BoxBound<3> {
  Real softening = 0;  ///< the largest spline length
  Real limit = 0;      ///< the smallest of the relative criterion
};

/// The data for opening tests and monopole interactions. The higher moments stay in Multipoles.
template <class MemorySpace>
struct GravityTree {
  Kokkos::View<Monopole*, MemorySpace> bodies;          ///< [particles] in tree order
  Kokkos::View<const Monopole*, MemorySpace> monopole;  ///< [nodes], that of Multipoles
  Kokkos::View<Real*, MemorySpace> opening2;            ///< [nodes]
  Kokkos::View<OctreeCell*, MemorySpace>
      cubes{};  ///< [nodes], or empty: not the relative criterion
  /// [particles] in tree order, spline softening lengths; empty unless soften_gravity_tree was
  /// called
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> softening{};
  Kokkos::View<NodeSoftening*, MemorySpace> node_softening{};  ///< [nodes], then

  bool is_relative() const { return cubes.extent(0) > 0; }

  /// The lanes whose target opens the node. `x`, `length` and `limit` belong to the targets:
  /// `length` is their spline length, read only if `spline`; `limit` is read only if `Relative`.
  template <bool Relative, class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask opens(std::uint32_t node, const LanePoint<L, 3>& x,
                                                     bool spline, const typename L::Real& length,
                                                     const typename L::Real& limit) const {
    const auto square = squared_distance<L, 3>(x, ArrayPoint<3>{monopole(node).centre});
    const typename L::Mask near = spline ? is_near<Relative, true, L>(node, square, length, limit)
                                         : is_near<Relative, false, L>(node, square, length, limit);
    if constexpr (Relative)
      return near | in_cube<L>(node, x, x);
    else
      return near;
  }
  /// True if a target in the box may open the node.
  template <bool Relative>
  KOKKOS_FORCEINLINE_FUNCTION bool opens(std::uint32_t node, const TargetBox& box,
                                         bool spline) const {
    const Real square = box.template min_distance2<OneLane>(monopole(node).centre);
    const bool near =
        spline ? is_near<Relative, true, OneLane>(node, square, box.softening, box.limit)
               : is_near<Relative, false, OneLane>(node, square, box.softening, box.limit);
    if constexpr (Relative)
      return near || in_cube<OneLane>(node, box.lower, box.upper);
    else
      return near;
  }

  /// The square of the distance within which the softening of a target with this spline length, or
  /// of targets with at most this length, opens a node. Only where there is softening.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T overlap2(std::uint32_t node, const T& length) const {
    const NodeSoftening softened = node_softening(node);
    const T support = length + T(softened.length);
    return lane_min(support * support, T(softened.opening2));
  }
  /// The square of a node's opening radius for such targets.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T softened_opening2(std::uint32_t node, const T& length) const {
    return lane_max(T(opening2(node)), overlap2(node, length));
  }
  /// The same for one target of a tree with or without softening.
  KOKKOS_FORCEINLINE_FUNCTION Real opening2_for(std::uint32_t node, Real length) const {
    return softening.extent(0) > 0 ? softened_opening2(node, length) : opening2(node);
  }

 private:
  /// The lanes near enough to open the node by distance alone, without its cube.
  template <bool Relative, bool Spline, class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask is_near(std::uint32_t node,
                                                       const typename L::Real& square,
                                                       const typename L::Real& length,
                                                       const typename L::Real& limit) const {
    using LaneReal = typename L::Real;
    const LaneReal radius2(opening2(node));
    if constexpr (Relative && Spline)
      return (square * limit <= radius2) | (square <= overlap2(node, length));
    else if constexpr (Relative)
      return square * limit <= radius2;
    else if constexpr (Spline)
      return square <= softened_opening2(node, length);
    else
      return square <= radius2;
  }
  /// The lanes whose box or point meets the node's cube. Only if Relative.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION typename L::Mask in_cube(std::uint32_t node,
                                                       const LanePoint<L, 3>& lower,
                                                       const LanePoint<L, 3>& upper) const {
    using LaneReal = typename L::Real;
    const OctreeCell cube = cubes(node);
    LaneReal farthest(Real(0));
    for (int a = 0; a < 3; ++a) {
      const LaneReal centre(cube.centre[a]);
      farthest = lane_max(farthest, lane_max(lower[a] - centre, centre - upper[a]));
    }
    return farthest <= LaneReal(cube.half_side);
  }
};

/// Fills the arrays of a GravityTree. `points` and `masses` are the particles of `tree` in tree
/// order, `moments` its moments. Arrays of `into` are allocated if their extents differ. Two
/// kernels, 32 bytes per particle and 40 per node. Removes spline softening from `into`. Returns
/// when the work is done. \throws InputError if theta or alpha is negative or NaN
template <int Order, class ExecutionSpace>
void make_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Multipoles<Order, typename ExecutionSpace::memory_space>& moments,
    const OpeningCriterion& criterion, GravityTree<typename ExecutionSpace::memory_space>& into);

}  // namespace copse
