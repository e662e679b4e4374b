#pragma once
/// \file
/// What a run over several ranks says of itself.

#include "distributed_linker.hpp"
#include <copse/app/session.hpp>

#include <vector>

namespace copse::fof {

/// Fills the results that run_distributed names from this rank's cost of each repeat, and prints a
/// summary; `linked` particles of all ranks. Collective.
void report_distributed(app::Session& session, const Communicator& comm, Count linked,
                        const std::vector<DistributedLinkCost>& costs);

}  // namespace copse::fof
