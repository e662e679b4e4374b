#pragma once
/// \file
/// Multipole moments of the nodes of an octree, about their centres of mass, up to the quadrupole;
/// and the two sizes of a node that opening tests ask for.
///
/// Invariants
///  - Array element i belongs to node i of the tree.
///  - `quadrupole` is traceless: Q = sum over rows of m (3 d d^T - |d|^2 1), d = x - centre of
///  mass.
///    About the centre of mass there is no dipole, so the potential of a node at distance r beyond
///    its reach b is off by O((b / r)^3) of its value, and by O((b / r)^2) without the quadrupole.
///  - No row of a node lies farther from its stored centre than `reach` (the b_max of Salmon and
///    Warren, 1994). In a leaf it is the distance of the farthest row; above, the lesser of what
///    the children's reaches and the corners of the bounds allow.
///  - `bounds` are the tight bounding box of the rows. Without rows it is empty: lower > upper.
///  - A node without mass has its cell's centre for its centre of mass.
///
/// Arithmetic: results are stored as `Real`, everything between is double: moments of a node are
/// rounded once, however deep the tree, and the double work, some 40 operations a row and 60 a
/// node, is nothing beside one interaction list even where a GPU does doubles at 1/64 of the rate.
/// Sums run over a leaf's rows and a node's children in their order and multiplications and
/// additions are not fused, so results are the same bits on every backend. Against exact sums:
/// masses and centres are off by one rounding to `Real`, quadrupoles by that relative to m b^2.

#include <copse/algorithms/workspace.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Mass and centre of mass: what a walk reads of every node, one 16-byte load.
struct alignas(4 * sizeof(Real)) Monopole {
  Kokkos::Array<Real, 3> centre{};
  Real mass = Real{0};
};

/// The upper triangle of the traceless quadrupole, mass * length^2.
struct Quadrupole {
  Real xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
};

struct NodeBounds {
  Kokkos::Array<Real, 3> lower{};
  Kokkos::Array<Real, 3> upper{};
};

template <class MemorySpace>
struct Multipoles {
  Kokkos::View<Monopole*, MemorySpace> monopole;
  Kokkos::View<Quadrupole*, MemorySpace> quadrupole;
  Kokkos::View<Real*, MemorySpace> reach;
  Kokkos::View<NodeBounds*, MemorySpace> bounds;
};

/// Computes the moments of every node of `tree` from its rows: `points` in tree order and their
/// masses, none negative. `into` is allocated if it has not the tree's size. One kernel over the
/// leaves, then one a depth, from the deepest to the root; one thread a node, so rows that share a
/// leaf because they coincide are summed by one thread. Work O(rows + nodes); scratch 80 bytes a
/// node. Returns when the work is done.
///
/// Bytes, with Real = float: 16 read a row (28 more from a cache, as leaves are passed over three
/// times); 16 read of and 148 written for a node, 124 read of a child.
/// \throws InputError if `masses` has not one entry a point: the particles have no masses.
template <class ExecutionSpace>
void compute_multipoles(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    Workspace<typename ExecutionSpace::memory_space>& workspace,
    Multipoles<typename ExecutionSpace::memory_space>& into);

}  // namespace copse
