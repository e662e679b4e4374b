#pragma once
/// \file
/// From groups of the linked species to groups of all particles, as fof does it.

#include "../levels/sub_groups.hpp"
#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// The sabotage that loses an attached particle, for --sabotage.
inline constexpr const char* lost_attachment_sabotage = "lose-attached";

/// Labels and members of the groups of all of this rank's particles. Attaches those that were not
/// linked (attach.hpp, and over ranks distributed/nearest_groups.hpp and joined_groups.hpp) and
/// reports how many, as `species`. With --verify, some of them, and all if they are few, are held
/// against every linked particle. Without a species to link the labels are those of the linking.
/// One rank does not count members: collect_groups will. Collective.
CountedGroups<Kokkos::HostSpace> attach_others(app::Session& session, const Communicator& comm,
                                               const Request& request, const LinkedInput& input,
                                               const MeasuredLinking& linking);

/// Attaches the particles that were not linked on every level, with its own linking length. The
/// nearest linked particle is the same on all levels, so a particle attached to a sub-group is
/// attached to its parent. Without a species to link it changes nothing.
void attach_levels(const Request& request, const LinkedInput& input, const std::string& backend,
                   std::vector<SubLevel>& levels);

}  // namespace copse::fof
