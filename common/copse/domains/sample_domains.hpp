#pragma once
/// \file
/// Domains cut from a sample: an ORB with one leaf per rank, built from a sample of all particles.
///
/// The global order of the particles is divided into strata of equal length, and one pseudo-random
/// particle is taken from each. A fixed position in the stratum would suit particles in random
/// order, but in a lattice stored plane by plane it could pick the same plane every time. The
/// choice depends only on the number of particles, so the sample does not depend on their
/// distribution over ranks.
///
/// With a sample of m particles per rank, the fraction of all particles in one domain has a
/// relative standard deviation of at most 1 / sqrt(m), as for an independent random sample: 0.2 %
/// with the default 2^18. Coincident particles are always in one domain.

#include <copse/algorithms/workspace.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

/// Sampled particles per rank.
inline constexpr Count default_sample_rows = Count{1} << 18;

/// One particle of every stratum of `stride` particles.
struct DomainSample {
  Count stride = 1;

  /// About `wanted` of `total` particles, never more; all if `total` is at most `wanted`.
  static DomainSample of(Count total, Count wanted) {
    return {std::max<Count>(1, (total + wanted - 1) / wanted)};
  }

  KOKKOS_FUNCTION GlobalId row(Count stratum) const {
    return stratum * stride + sampling_key(0, stratum) % stride;
  }
  /// Number of strata whose sampled index is before `row_wanted`.
  Count strata_before(GlobalId row_wanted) const {
    const Count stratum = row_wanted / stride;
    return row(stratum) < row_wanted ? stratum + 1 : stratum;
  }
};

/// The sampled particles of this rank, whose first particle has global index `first`; their ids are
/// their global indices. The arrays belong to the workspace. Asynchronous.
template <class ExecutionSpace>
DistributedPoints<typename ExecutionSpace::memory_space> sample_rows(
    const ExecutionSpace& space, const DomainSample& sample,
    const Points<3, typename ExecutionSpace::memory_space>& position, GlobalId first,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse
