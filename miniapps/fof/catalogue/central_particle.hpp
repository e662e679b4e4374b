#pragma once
/// \file
/// The central particle of each group: where observers would look for the galaxy.
///
/// In groups of up to `direct_members` members it is the one at the bottom of the group's own
/// potential, -sum m / sqrt(r^2 + softening^2) over the other members, isolated from the rest of
/// the particles; members at one place do not act on each other without softening. Summed directly:
/// members^2 interactions a group, at most members * direct_members in all.
///
/// In larger groups it is the one nearest to the densest spot by shrinking spheres (Power et al.
/// 2003, MNRAS 338, 14, section 2.5): from a sphere around the centre of mass that holds the group,
/// again and again take the centre of mass of what is inside and shrink the sphere by a tenth,
/// until it holds fewer than 100 members. Some 20 to 100 passes over the members.
///
/// Of equals the one first in the input is taken. Both are sums in a fixed order: the same particle
/// on every backend.

#include "group_sums.hpp"

#include <span>

namespace copse::fof {

struct CentralOptions {
  Count direct_members = 512;  ///< groups up to this size have their potential summed
  double softening = 0.0;      ///< Plummer's, in units of length
};

/// Fills central and central_position; after find_moments. `offsets` are the groups' on the host.
/// Needs 8 bytes a member from the workspace. Synchronises.
template <class ExecutionSpace>
void find_central_particles(const ExecutionSpace& space,
                            const MemberTable<typename ExecutionSpace::memory_space>& table,
                            const ReductionTree<typename ExecutionSpace::memory_space>& tree,
                            std::span<const Count> offsets, const CentralOptions& options,
                            Workspace<typename ExecutionSpace::memory_space>& workspace,
                            const GroupCentres<typename ExecutionSpace::memory_space>& centres,
                            const PropertyTable<typename ExecutionSpace::memory_space>& properties);

}  // namespace copse::fof
