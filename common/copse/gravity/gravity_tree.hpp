#pragma once
/// \file
/// What a gravity walk reads: rows and nodes as point masses, and how near is too near to a node.
///
/// Invariants
///  - `bodies(i)` is row i of the tree: its position and its mass.
///  - A node's opening radius is s / theta + d, where s is the side of its cell and d the distance
///    of its centre of mass from the cell's centre (Barnes 1994, "A fast tree code for many-body
///    problems"): from a query farther away than that from the centre of mass, the cell is seen
///    under an angle of less than theta, wherever in the cell the mass has gathered.
///  - No opening radius is less than the node's reach: from a query that is one of a node's rows
///    the node is always opened, for every theta, so that no row pulls itself.
///  - `opening2` are the squares, rounded up. With theta = 0 all are infinite: every leaf is opened
///    and the walk is a direct summation.
///
/// The opening radius stands apart from the centre and the mass, because those are one aligned
/// 16-byte load of a device and it is a fourth of one.

#include <copse/gravity/multipoles.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

template <class MemorySpace>
struct GravityTree {
  Kokkos::View<Monopole*, MemorySpace> bodies;          ///< [rows]
  Kokkos::View<const Monopole*, MemorySpace> monopole;  ///< [nodes], with the next of Multipoles
  Kokkos::View<const Quadrupole*, MemorySpace> quadrupole;
  Kokkos::View<Real*, MemorySpace> opening2;  ///< [nodes]
};

/// Gathers what walks of `tree` read. `points` and `masses` are its rows in tree order, `moments`
/// theirs. Arrays of `into` are allocated if they have not the right size. Two kernels, 32 bytes a
/// row and 64 a node. Returns when the work is done.
/// \throws InputError if theta is negative or no number
template <class ExecutionSpace>
void make_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Points<3, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Multipoles<typename ExecutionSpace::memory_space>& moments, double theta,
    GravityTree<typename ExecutionSpace::memory_space>& into);

}  // namespace copse
