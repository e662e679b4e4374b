#pragma once
/// \file
/// The inclusion condition of [Liu 2019] section 5.4, and radii that restore it.
///
/// A node's ball has its opening radius and is centred at its centre of mass. *Inclusion*: the ball
/// of every child is inside the ball of its parent. Then a target that accepts a node would also
/// accept everything below it. A walk that begins at an inner node depends on this: a target that
/// opens the node must have opened all nodes above it. Without inclusion the walk may add a subtree
/// whose mass it has already added as part of a node above.
///
/// Opening radii break inclusion because each depends on its own node only: the centre of mass of a
/// child may be near a corner of its parent, and halving a box reduces its radius by less than
/// half. In an octree with centres of mass this is rare; in a binary tree it is the rule.
///
/// Walks from the root, and walks that store where they stopped (traversal/partial_walk.hpp), need
/// no inclusion. Larger radii only add interactions to them.

#include <copse/gravity/gravity_tree.hpp>

#include <array>
#include <cstdint>

namespace copse {

/// How opening radii are enlarged. With c_p, c_c the centres and r_p, r_c the radii of a parent and
/// a child, "covers" means r_p >= |c_p - c_c| + r_c, equation 5.1 of [Liu 2019].
enum class Inclusion : std::uint8_t {
  none,  ///< as the opening criterion gives them
  /// |c_p - c_c| + r_c is the size of the parent and is divided by the angle again, at every level
  /// (one reading of [Liu 2019] section 5.4.3). Restores inclusion. A radius grows by a factor of
  /// about 1 / theta per level, so all targets open the nodes at the top.
  radius,
  opening,  ///< bottom-up, each parent covers the enlarged balls of its children. Restores
            ///< inclusion
  /// Each parent covers the balls that its children had before they were enlarged ([Liu 2019]
  /// section 5.4.4). Does not restore inclusion: the child's ball grows, too.
  top_down
};
inline constexpr std::array<const char*, 4> inclusion_names{"none", "radius", "opening",
                                                            "top-down"};

/// Enlarges the opening radii of a tree that `make_gravity_tree` has filled by `criterion`. No
/// radius shrinks. Radii are rounded up, by some 1e-6 in float, so that inclusion holds for the
/// rounded distances of walks. Leaves that are always opened (OpeningKind::changa) have no ball and
/// need no cover: no walk begins at a leaf.
///
/// One kernel per depth of the tree, one for `top_down`; 24 bytes per node. Bitwise equal on every
/// backend. Returns when the work is done.
/// \throws InputError for OpeningKind::relative, which has no radii
template <class ExecutionSpace>
void enlarge_radii(const ExecutionSpace& space,
                   const Octree<typename ExecutionSpace::memory_space>& tree,
                   const OpeningCriterion& criterion, Inclusion inclusion,
                   GravityTree<typename ExecutionSpace::memory_space>& into);

/// Nodes, without the root, whose ball is not inside their parent's. Leaves that are always opened
/// are not counted.
struct UncoveredNodes {
  Count inner = 0, leaves = 0;
};
template <class ExecutionSpace>
UncoveredNodes count_uncovered(const ExecutionSpace& space,
                               const Octree<typename ExecutionSpace::memory_space>& tree,
                               const GravityTree<typename ExecutionSpace::memory_space>& gravity);

}  // namespace copse
