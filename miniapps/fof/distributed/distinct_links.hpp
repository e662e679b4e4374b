#pragma once
/// \file
/// The links that ghosts tell of, each once.
///
/// Of two fragments that touch nearly every ghost tells, and one would do. Which is found where
/// the ghosts are: a table on the device holds one ghost of each link, by open addressing, so that
/// the host sorts links and not ghosts.

#include "domains.hpp"
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
