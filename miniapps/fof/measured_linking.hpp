#pragma once
/// \file
/// The input, and linking it with one method on one backend: times, and labels on the host.

#include "distributed/distributed_linker.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <string>
#include <vector>

namespace copse::fof {

/// What is linked, on the host, and how it was made from the input.
struct LinkedInput {
  Particles<Kokkos::HostSpace> particles;  ///< positions wrapped into `particles.box`
  bool partial = false;                    ///< only a species is linked
  /// If so, all particles, and which of their rows are in `particles` and which are not. Else
  /// empty.
  Particles<Kokkos::HostSpace> all;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> others;
  LinkingLengths links;
  Friendship friendship;
  Count total_linked = 0;  ///< particles of all ranks that are linked
  Count wrapped = 0;       ///< particles of all ranks that were outside the periodic box

  /// Particles of all species, linked or not.
  const Particles<Kokkos::HostSpace>& everything() const { return partial ? all : particles; }
  bool has_velocity() const { return friendship.velocity_factor > 0; }
  LinkProblem<Kokkos::HostSpace> problem() const {
    return {particles.position,
            has_velocity() ? particles.velocity : Points<3, Kokkos::HostSpace>(), friendship};
  }
};

/// Leaves the particles of a species in `particles`, which are of all species, and notes the
/// others.
void link_only(LinkedInput& input, Species species);

/// Loads this rank's particles of the session, wraps them and fixes the linking lengths, by all
/// ranks' particles. Collective.
/// \throws InputError for an input without the velocities that a velocity link needs, or without
///         the species that is to be linked
LinkedInput load_input(app::Session& session, const Request& request);

struct MeasuredLinking {
  std::string backend;
  std::string method;
  app::Samples total;  ///< particles to labels, of the slowest rank
  app::Samples build;  ///< of that, the tree; empty where there is none
  app::Samples link;   ///< of that, the links on each rank
  Count bytes = 0;     ///< most that the method and its labels took of the backend's memory
  GlobalLabels<Kokkos::HostSpace> labels;  ///< of this rank's linked particles
  std::vector<DistributedLinkCost> costs;  ///< [repeats], this rank's
  /// DistributedLinker::members and find_groups_near of the last run. For the first linking of a
  /// request over several ranks only: they keep its particles and ghosts in memory. Collective.
  std::function<GroupSizes<Kokkos::HostSpace>()> members;
  std::function<GlobalLabels<Kokkos::HostSpace>(const Points<3, Kokkos::HostSpace>&)> groups_near;

  std::string name() const { return method + "_" + backend; }
};

/// Runs every method on every backend of the request as often as the session asks. Collective.
std::vector<MeasuredLinking> measure_linkings(app::Session& session, const Communicator& comm,
                                              const Request& request, const LinkedInput& input);

/// Labels for code that has all particles on one rank. What is no row becomes ~0. O(n)
Labels<Kokkos::HostSpace> narrow_labels(const GlobalLabels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
