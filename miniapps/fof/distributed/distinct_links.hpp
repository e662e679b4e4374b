#pragma once
/// \file
/// The distinct links between fragments, from the links shown by ghosts.
///
/// Nearly every ghost on the border of two fragments shows the same link. A hash table on the
/// device (open addressing) keeps one ghost per link, so the host sorts links instead of ghosts.

#include "../linker.hpp"
#include "merge_fragments.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/mpi/exchange_plan.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// The links (mine(i), theirs(i), rank) of all ghosts i with mine(i) != no_fragment, in no
/// particular order. `from` gives the source rank of each ghost; a remote fragment must belong to
/// one rank only. O(n); reads 16 bytes per ghost and 8 bytes of table; copies 24 bytes per link to
/// the host.
template <class ExecutionSpace>
std::vector<FragmentLink> distinct_links(
    const ExecutionSpace& space, const GlobalLabels<typename ExecutionSpace::memory_space>& mine,
    const GlobalLabels<typename ExecutionSpace::memory_space>& theirs,
    const ExchangePlan::Side& from, Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
