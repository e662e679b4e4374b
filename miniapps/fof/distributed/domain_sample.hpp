#pragma once
/// \file
/// The rows of all ranks from which domains are cut.
///
/// The order of all rows is divided into strata of equal length and a pseudo-random row is taken of
/// each. One at a fixed place would do for particles in no order; of a lattice that is stored row
/// by row it could be the same plane every time. The choice depends on the number of rows alone, so
/// the sample is the same however the rows are spread over ranks.

#include <copse/algorithms/workspace.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse::fof {

/// Of a rank, where there are as many rows.
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

/// The sampled ones of this rank's rows, of which the first is row `first` of all ranks, with their
/// rows as ids. The arrays are the workspace's. No synchronisation.
template <class ExecutionSpace>
DistributedPoints<typename ExecutionSpace::memory_space> sample_rows(
    const ExecutionSpace& space, const DomainSample& sample,
    const Points<3, typename ExecutionSpace::memory_space>& position, GlobalId first,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
