#pragma once
/// \file
/// One method on one backend: times, and labels on the host.

#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse::fof {

struct MeasuredLinking {
  std::string backend;
  std::string method;
  app::Samples total;  ///< particles to labels: tree, links and labels
  app::Samples build;  ///< of that, the tree; empty where there is none
  app::Samples link;
  Count bytes = 0;  ///< most that the method and its labels took of the backend's memory
  Labels<Kokkos::HostSpace> labels;  ///< [particles]

  std::string name() const { return method + "_" + backend; }
};

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

/// Runs a method as often as the session asks.
MeasuredLinking measure_linking(app::Session& session, const Request& request,
                                const LinkedInput& input, const std::string& backend,
                                const std::string& method);

}  // namespace copse::fof
