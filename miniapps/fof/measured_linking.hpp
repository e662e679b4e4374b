#pragma once
/// \file
/// Loads the input, times the linking methods on the backends, and reports both. Labels come back
/// on the host.

#include "distributed/distributed_linker.hpp"
#include "request.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/mpi/communicator.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <functional>
#include <string>
#include <vector>

namespace copse::fof {

/// The particles to link, on the host, and how they were derived from the input.
struct LinkedInput {
  Particles<Kokkos::HostSpace> particles;  ///< positions wrapped into `particles.box`
  bool partial = false;                    ///< true if only one species is linked
  /// If `partial`: all particles, and the indices of those in `particles` and of the others.
  /// Otherwise empty.
  Particles<Kokkos::HostSpace> all;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> others;
  LinkingLengths links;
  Friendship friendship;
  Count total_linked = 0;  ///< number of linked particles, over all ranks
  Count wrapped = 0;  ///< number of particles outside the periodic box on input, over all ranks

  /// Particles of all species, linked or not.
  const Particles<Kokkos::HostSpace>& everything() const { return partial ? all : particles; }
  bool has_velocity() const { return friendship.velocity_factor > 0; }
  LinkProblem<Kokkos::HostSpace> problem() const {
    return {particles.position,
            has_velocity() ? particles.velocity : Points<3, Kokkos::HostSpace>(), friendship};
  }
};

/// Keeps only the given species in `particles`, which must hold all species, and stores the indices
/// of the others.
void link_only(LinkedInput& input, Species species);

/// Loads this rank's particles, wraps them into the box and computes the linking lengths from the
/// particles of all ranks. Collective.
/// \throws InputError if the input lacks the velocities that a velocity link needs, or the species
/// to be linked
LinkedInput load_input(app::Session& session, const Request& request);

/// Times, memory and labels of one method on one backend.
struct MeasuredLinking {
  std::string backend;
  std::string method;
  app::Samples total;  ///< time from particles to labels, on the slowest rank
  app::Samples build;  ///< tree build time within `total`; empty for a method without a tree
  app::Samples link;   ///< local linking time within `total`
  Count bytes = 0;     ///< peak backend memory of the method and its labels
  GlobalLabels<Kokkos::HostSpace> labels;  ///< of this rank's linked particles
  std::vector<DistributedLinkCost> costs;  ///< [repeats], of this rank
  /// DistributedLinker::members and find_groups_near of the last run, which keep its particles and
  /// ghosts in memory. Set only for the first linking of a request, on several ranks or of one
  /// species. Collective.
  std::function<GroupSizes<Kokkos::HostSpace>()> members;
  std::function<GlobalLabels<Kokkos::HostSpace>(const Points<3, Kokkos::HostSpace>&)> groups_near;

  std::string name() const { return method + "_" + backend; }
};

/// Runs every method on every backend of the request, with the number of repeats of the session.
/// Collective.
std::vector<MeasuredLinking> measure_linkings(app::Session& session, const Communicator& comm,
                                              const Request& request, const LinkedInput& input);

/// Prints and reports the links and the number of wrapped particles.
void report_input(app::Session& session, const LinkedInput& input);

/// Times and figures of merit. On several ranks also, for the first linking: `ranks` (a list by
/// rank: particles and ghosts of the domain, links to other ranks found there); `merge_rounds`;
/// `bytes_sent_per_particle` {domains, ghosts, merging, labels}; `histogram_bytes_per_rank`;
/// `compute_seconds`, `communicate_seconds` and `wait_seconds` {max, mean} over ranks, each the
/// median of the repeats. Per-particle figures count linked particles only. Collective.
void report_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured);

/// Labels for code that holds all particles on one rank. Values outside the index range become ~0.
/// O(n)
Labels<Kokkos::HostSpace> narrow_labels(const GlobalLabels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
