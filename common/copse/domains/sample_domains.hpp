#pragma once
/// \file
/// Domains cut from a sample: an ORB with one leaf a rank, built from some particles of all ranks.
///
/// The global order of the particles is divided into strata of equal length, and one pseudo-random
/// particle is taken from each stratum. A fixed place in the stratum would do for particles in
/// random order, but of a lattice stored plane by plane it could pick the same plane every time.
/// The choice depends on the number of particles alone, so the sample is the same however the
/// particles are spread over ranks.
///
/// With a sample of m particles a rank, the share of all particles in one domain has a standard
/// deviation of at most 1 / sqrt(m) of the share, as for an independent random sample: 0.2 % with
/// the default 2^18. Particles at one place are in one domain, however many there are.

#include <copse/algorithms/workspace.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

/// Sampled particles a rank.
inline constexpr Count default_sample_rows = Count{1} << 18;

/// One row of every stratum of `stride` rows.
struct DomainSample {
  Count stride = 1;

  /// About `wanted` rows of `total`, and never more; all if there are no more.
  static DomainSample of(Count total, Count wanted) {
    return {std::max<Count>(1, (total + wanted - 1) / wanted)};
  }

  KOKKOS_FUNCTION GlobalId row(Count stratum) const {
    return stratum * stride + sampling_key(0, stratum) % stride;
  }
  /// Strata before the first whose row is not before `row`.
  Count strata_before(GlobalId row_wanted) const {
    const Count stratum = row_wanted / stride;
    return row(stratum) < row_wanted ? stratum + 1 : stratum;
  }
};

/// The sampled particles of this rank, whose first particle is row `first` of all ranks; their ids
/// are their global rows. The arrays belong to the workspace. No synchronisation.
template <class ExecutionSpace>
DistributedPoints<typename ExecutionSpace::memory_space> sample_rows(
    const ExecutionSpace& space, const DomainSample& sample,
    const Points<3, typename ExecutionSpace::memory_space>& position, GlobalId first,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse
