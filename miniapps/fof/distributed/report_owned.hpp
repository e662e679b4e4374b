#pragma once
/// \file
/// What is done with groups over several ranks: as results.hpp, but every group is with its owner,
/// and no rank has all particles.

#include "../measured_linking.hpp"
#include "../request.hpp"
#include "domains.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>

#include <string>

namespace copse::fof {

/// Bytes a particle that counting members takes beside what linking takes.
inline constexpr Count counting_bytes = 3 * sizeof(Count);

/// Links once more, to count the members of each group, attaches particles of other species if one
/// is linked (attach_over_ranks.hpp), and reports the groups. With --output or several links,
/// groups go to their owners (whole_groups.hpp); there the levels below are linked, without
/// messages, since a sub-group is where its parent is; and the catalogue is made, numbered and
/// written (owned_groups.hpp, write_owned.hpp). With --verify, the labels must be the `verified`
/// ones of an earlier run, and every owner checks the levels of its groups. Collective.
void report_owned(app::Session& session, const Communicator& comm, const Request& request,
                  const LinkedInput& input, const std::string& backend, const std::string& method,
                  const GlobalLabels<Kokkos::HostSpace>& verified);

}  // namespace copse::fof
