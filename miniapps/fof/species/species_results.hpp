#pragma once
/// \file
/// Extends the groups of the linked species to all particles.

#include "../levels/sub_groups.hpp"
#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// The groups of all particles of a rank, and the number of attached ones.
struct Attached {
  CountedGroups<Kokkos::HostSpace> groups;
  Count others = 0;
};

/// Labels and sizes of the groups of all of this rank's particles. Attaches the particles that were
/// not linked (distributed/nearest_groups.hpp and joined_groups.hpp, on any number of ranks) and
/// reports their number as `species`. With --verify, compares a sample of them, or all if they are
/// few, with all linked particles. If all species are linked, returns the labels of the linking. A
/// single rank does not count members here; collect_groups does. Collective.
CountedGroups<Kokkos::HostSpace> attach_others(app::Session& session, const Communicator& comm,
                                               const LinkedInput& input,
                                               const MeasuredLinking& linking);

/// Attaches the particles that were not linked on every level, with the linking length of that
/// level. The nearest linked particle is the same on all levels, so a particle attached to a
/// sub-group is also attached to its parent. Does nothing if all species are linked.
void attach_levels(const Request& request, const LinkedInput& input, const std::string& backend,
                   std::vector<SubLevel>& levels);

}  // namespace copse::fof
