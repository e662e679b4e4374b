#pragma once
/// \file
/// The distinct links between fragments that ghosts show.
///
/// Nearly every ghost on the border of two fragments shows their link; one is enough. A hash table
/// on the device (open addressing) keeps one ghost of each link, so that the host sorts links and
/// not ghosts.

#include "../linker.hpp"
#include "merge_fragments.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/exchange_plan.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// The links (mine(i), theirs(i), rank) of all ghosts i with mine(i) != no_fragment, in no order.
/// `from` says which rank sent which ghosts; a fragment of another rank must be of one rank only.
/// O(n); 16 bytes read a ghost and 8 bytes of table; 20 bytes a link to the host.
template <class ExecutionSpace>
std::vector<FragmentLink> distinct_links(
    const ExecutionSpace& space, const GlobalLabels<typename ExecutionSpace::memory_space>& mine,
    const GlobalLabels<typename ExecutionSpace::memory_space>& theirs,
    const ExchangePlan::Side& from, Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse::fof
