#pragma once
/// \file
/// Reference fields over ranks: direct sums, and potentials with a huge softening.

#include "shared_tree.hpp"

#include <vector>

namespace copse::gravity {

/// Targets of all ranks whose fields are compared: `rows` of the own tree, and where their fields
/// begin among those of all ranks.
struct SampledTargets {
  std::vector<LocalIndex> rows;
  Count first = 0, total = 0;
};

/// About `count` of the bodies of all ranks, evenly spaced along each rank's part of the curve.
SampledTargets sample_targets(const Communicator& comm, Count own_bodies, Count total_bodies,
                              Count count);

/// The exact fields at the sampled targets of all ranks, by rank: every rank sums its own bodies in
/// double, as exact_gravity does. The same on every rank. Collective; O(targets bodies) per rank.
template <class ExecutionSpace>
std::vector<GravityField<double>> exact_over_ranks(
    const ExecutionSpace& space, const Communicator& comm,
    const BodyTree<typename ExecutionSpace::memory_space>& own, const SampledTargets& targets,
    double softening);

/// The computed fields at the sampled targets of all ranks, in the same order.
template <class MemorySpace>
std::vector<GravityField<double>> sampled_fields(const Communicator& comm,
                                                 const GravityFields<MemorySpace>& fields,
                                                 const SampledTargets& targets);

/// A softening so long that all bodies of a box are equally far.
double longest_softening(const Box<3>& box);

/// Solution::uncounted over all ranks. With a softening far longer than the box, the potential of a
/// body is that of the mass of all bodies at other positions. Returns the largest relative
/// difference from it over all ranks. Collective.
template <class ExecutionSpace>
double uncounted_over_ranks(const ExecutionSpace& space, SharedTree<ExecutionSpace>& shared,
                            Method<ExecutionSpace>& method, const Box<3>& box);

}  // namespace copse::gravity
