#pragma once
/// \file
/// Spline softening of a GravityTree with a length per particle.
///
/// A node's length is the mass-weighted mean of its particles' lengths. Longer lengths of single
/// particles have no further effect. At distances up to the sum of both lengths, the softening
/// balls of target and node overlap and the multipole field is wrong. There a node is accepted only
/// beyond a second opening radius, 2 b / (sqrt(3) theta^4) with b the node's reach, but at least b.
/// It then acts as a spline-softened monopole. Elsewhere the node is Newtonian (ChaNGa; [Liu 2019]
/// figure 4.4).

#include <copse/gravity/gravity_tree.hpp>

namespace copse {

/// Adds softening to a tree that `make_gravity_tree` has filled: `lengths`, one per particle, in
/// tree order, which `into` then shares. `masses` as there, `reach` from the tree's Multipoles.
/// One kernel per depth of the tree; 8 bytes per particle read, 8 per node written. Returns when
/// the work is done. \throws InputError if there is not one length per particle
template <class ExecutionSpace>
void soften_gravity_tree(
    const ExecutionSpace& space, const Octree<typename ExecutionSpace::memory_space>& tree,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& masses,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& lengths,
    const Kokkos::View<const Real*, typename ExecutionSpace::memory_space>& reach, double theta,
    GravityTree<typename ExecutionSpace::memory_space>& into);

/// The same for the top of a tree whose leaves are in `into.node_softening` already, which has an
/// entry per node: computes the inner nodes from their children.
template <class ExecutionSpace>
void soften_top_nodes(const ExecutionSpace& space,
                      const Octree<typename ExecutionSpace::memory_space>& top,
                      const Kokkos::View<const Real*, typename ExecutionSpace::memory_space>& reach,
                      double theta, GravityTree<typename ExecutionSpace::memory_space>& into);

}  // namespace copse
