#pragma once
/// \file
/// Checks groups that were found on several ranks, on one.

#include "../measured_linking.hpp"
#include "domains.hpp"
#include <copse/app/session.hpp>

#include <string>

namespace copse::fof {

/// Enters, on every rank, the checks that verify_labels makes of all particles on rank 0, and
/// whether the ranks had one definition of friends. A sabotage of results, if named, spoils what
/// rank 0 has gathered. There must be no more particles than can be gathered. Collective.
/// \return a sentence that says what was compared
std::string verify_distributed(app::Session& session, const Communicator& comm,
                               const LinkedInput& input,
                               const GlobalLabels<Kokkos::HostSpace>& labels,
                               const std::string& sabotage);

}  // namespace copse::fof
