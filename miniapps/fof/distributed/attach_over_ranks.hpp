#pragma once
/// \file
/// species/species_results.hpp over ranks: attaches the particles that were not linked, reports how
/// many, and has them verified.

#include "../measured_linking.hpp"
#include "../request.hpp"
#include "distributed_linker.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>

namespace copse::fof {

/// Labels and members of this rank's particles of all species, of which `linker` has just linked
/// one with the labels `of_linked` (nearest_groups.hpp, joined_groups.hpp). With --verify, rank 0
/// holds them against all linked particles. Collective.
template <class ExecutionSpace>
CountedGroups<Kokkos::HostSpace> attach_over_ranks(
    app::Session& session, const Communicator& comm, const Request& request,
    const LinkedInput& input, DistributedLinker<ExecutionSpace>& linker,
    const GlobalLabels<Kokkos::HostSpace>& of_linked);

}  // namespace copse::fof
