#pragma once
/// \file
/// An octree for gravity: the moments of its nodes, its particles as point masses, and the radius
/// within which a walk opens a node.
///
/// Invariants of the moments
///  - Array element i belongs to node i of the tree.
///  - No particle of a node lies farther from its stored centre than `reach` (the b_max of Salmon
///    and Warren, 1994). In a leaf it is the distance of the farthest particle; above, the lesser
///    of what the children's reaches and the corners of the bounds allow.
///  - `bounds` are the tight bounding box of the particles. Without particles it is empty:
///    lower > upper.
///  - A node without mass has its cell's centre for its centre of mass.
///
/// Invariants of the opening radii
///  - A node's opening radius is s / theta + d, where s is the side of its cell and d the distance
///    of its centre of mass from the cell's centre (Barnes 1994, "A fast tree code for many-body
///    problems"). A target farther away than that from the centre of mass sees the cell under an
///    angle of less than theta, wherever in the cell the mass is.
///  - No opening radius is less than the node's reach: for a target that is one of the node's
///    particles the node is opened at every theta, so no particle pulls itself.
///  - `opening2` are the squares, rounded up. With theta = 0 all are infinite: every leaf is opened
///    and the walk is a direct summation.
///
/// A walk reads three arrays apart: centre and mass of every node, one aligned 16-byte load of a
/// device; the opening radius of every node, 4 bytes; the higher moments of accepted nodes only.
///
/// Arithmetic: results are stored as `Real`, everything between is double: moments of a node are
/// rounded once, however deep the tree. The double work is small beside one interaction list even
/// where a GPU does doubles at 1/64 of the rate. Sums run over a leaf's particles and a node's
/// children in their order, and multiplications and additions are not fused, so results are the
/// same bits on every backend. Against exact sums: masses and centres are off by one rounding to
/// `Real`, a moment of rank n by that relative to m b^n.

#include <copse/algorithms/workspace.hpp>
#include <copse/gravity/moments.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

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
/// their masses, none negative. `into` is allocated if it does not have the tree's size. One kernel
/// over the leaves, then one per depth, from the deepest to the root; one thread per node, so
/// particles that share a leaf because they coincide are summed by one thread. Work O(particles +
/// nodes); scratch 40, 80, 160 and 280 bytes per node for orders 1 to 4. Returns when the work is
/// done.
///
/// Bytes, with Real = float and order 2: 16 read per particle (28 more from a cache, as leaves are
/// passed over three times); 16 read and 148 written per node, 124 read per child.
/// \throws InputError if `masses` does not have one entry per point: the particles have no masses.
template <int Order, class ExecutionSpace>
void compute_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<Order, typename ExecutionSpace::memory_space>& into);

/// What a walk reads to decide, and to pull by masses. The higher moments stay in Multipoles.
template <class MemorySpace>
struct GravityTree {
  Kokkos::View<Monopole*, MemorySpace> bodies;          ///< [particles] in tree order
  Kokkos::View<const Monopole*, MemorySpace> monopole;  ///< [nodes], that of Multipoles
  Kokkos::View<Real*, MemorySpace> opening2;            ///< [nodes]
};

/// Gathers what walks of `tree` read. `points` and `masses` are its particles in tree order,
/// `moments` theirs. Arrays of `into` are allocated if they do not have the right size. Two
/// kernels, 32 bytes per particle and 40 per node. Returns when the work is done. \throws
/// InputError if theta is negative or NaN
template <int Order, class ExecutionSpace>
void make_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Multipoles<Order, typename ExecutionSpace::memory_space>& moments, double theta,
    GravityTree<typename ExecutionSpace::memory_space>& into);

}  // namespace copse
