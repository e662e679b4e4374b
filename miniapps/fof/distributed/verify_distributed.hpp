#pragma once
/// \file
/// Checks groups that were found on several ranks, on one.

#include "gathered_groups.hpp"
#include <copse/app/session.hpp>

#include <string>

namespace copse::fof {

/// Enters, on every rank, the checks that verify_labels makes of what rank 0 has gathered, and
/// whether the ranks had one definition of friends. A sabotage of results, if named, spoils the
/// gathered labels first. Collective.
/// \return a sentence that says what was compared
std::string verify_distributed(app::Session& session, const Communicator& comm,
                               const LinkedInput& input, const GatheredGroups& all,
                               const std::string& sabotage);

/// Enters, on every rank, the checks that verify_attached makes of what rank 0 gathers. Collective.
/// \return a sentence that says what was compared
std::string verify_attached_over_ranks(app::Session& session, const Communicator& comm,
                                       const LinkedInput& input,
                                       const GlobalLabels<Kokkos::HostSpace>& of_linked,
                                       const GlobalLabels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
