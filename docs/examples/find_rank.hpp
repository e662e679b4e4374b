#pragma once
/// \file
/// Four versions of one kernel: which key has rank k, the k-th smallest counted from 0?
///
/// Keys are unsigned, for example from `ordered_key`. All versions are exact and return the same
/// key. The suite's own versions, for many cells at once, are
/// common/copse/algorithms/segmented_histogram.hpp and segmented_select.hpp.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::book {

using Key = std::uint32_t;

template <class ExecutionSpace>
using RankKeys =
    Kokkos::View<const Key*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>;
template <class ExecutionSpace>
using RankWorkspace = Workspace<typename ExecutionSpace::memory_space>;

// For all versions 0 <= rank < number of keys. The keys are not changed: versions that reorder them
// work on a copy in `workspace`.

/// Version 1: sorts, with std::sort on one core of a host, with the vendor's sort on a device.
template <class ExecutionSpace>
Key find_rank_by_sorting(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                         RankWorkspace<ExecutionSpace>& workspace);

/// Version 2, on one core: sorts only as much as necessary, like std::nth_element.
Key find_rank_by_partitions(RankKeys<Kokkos::DefaultHostExecutionSpace> keys, Count rank,
                            RankWorkspace<Kokkos::DefaultHostExecutionSpace>& workspace);

/// Version 3: digit by digit, the most significant first. Three reads of the keys.
template <class ExecutionSpace>
Key find_rank_by_digits(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                        RankWorkspace<ExecutionSpace>& workspace);

/// Version 4: selects between two keys of a sample, `deviations` standard deviations to either side
/// of the expected rank. One read of the keys, then version 3 for those inside. After three missed
/// brackets, and for few keys, it is version 3.
template <class ExecutionSpace>
Key find_rank_by_sample(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                        RankWorkspace<ExecutionSpace>& workspace, double deviations = 4.0);

}  // namespace copse::book
