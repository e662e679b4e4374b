#pragma once
/// \file
/// The groups of a run of fof: their totals, levels, catalogue and output file.

#include "measured_linking.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>

namespace copse::fof {

/// Attaches the other species if only one is linked (species/species_results.hpp), then counts and
/// reports the groups and the sub-groups of all levels. With --output, builds the catalogue and
/// writes it in the format given by the suffix.
///
/// No rank gathers all particles: on several ranks each group moves to its owner rank
/// (distributed/whole_groups.hpp). The owner links the sub-groups without messages, because a
/// sub-group lies within its parent, and computes and numbers the catalogue
/// (catalogue/owned_groups.hpp). A single rank owns all groups. Runs on the backend of the linking.
/// Collective.
void report_groups(app::Session& session, const Communicator& comm, const Request& request,
                   const LinkedInput& input, const MeasuredLinking& linking);

}  // namespace copse::fof
