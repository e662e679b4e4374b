#pragma once
/// \file
/// The central particle of each group, an estimate of the position of the central galaxy.
///
/// In groups of up to `direct_members` members it is the particle at the minimum of the group's own
/// potential, -sum m / r over the other members, without particles outside the group. Members at
/// the same position do not contribute to each other. Direct summation: members^2 interactions per
/// group, at most members * direct_members in total.
///
/// In larger groups it is the particle nearest to the density peak found by shrinking spheres
/// (Power et al. 2003, MNRAS 338, 14, section 2.5). Start with a sphere around the centre of mass
/// that contains the group. Repeatedly move it to the centre of mass of its contents and shrink it
/// by a tenth, until it contains fewer than 100 members. Takes about 20 to 100 passes over the
/// members.
///
/// Among equals the first in input order is chosen. All sums have a fixed order, so every backend
/// finds the same particle.

#include <copse/backend/types.hpp>

#include <span>

namespace copse::fof {

template <class MemorySpace>
struct GroupPass;

/// The default of `direct_members`.
inline constexpr Count default_direct_members = 512;

/// Fills central and central_position; call after find_moments. `offsets` are those of the groups,
/// on the host. Takes 8 bytes per member from the workspace. Synchronises.
template <class ExecutionSpace>
void find_central_particles(const ExecutionSpace& space,
                            const GroupPass<typename ExecutionSpace::memory_space>& pass,
                            std::span<const Count> offsets, Count direct_members);

}  // namespace copse::fof
