#pragma once
/// \file
/// One measured ORB over ranks on one backend: build, repeat, time, fetch; and what is said of it.

#include "distributed_build.hpp"
#include "verify_distributed.hpp"
#include <copse/app/session.hpp>
#include <copse/backend/communicator.hpp>
#include <copse/domains/distributed_orb.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace copse {

/// What the ranks made of the particles on one backend; this rank's part is on the host.
struct DistributedRun {
  RankParticles before;
  RankParticles after;
  OrbTree<Kokkos::HostSpace> tree;
  Box<3> domain;
  app::Samples build;  ///< of the slowest rank
  app::Samples copy;
  std::vector<DistributedCost> costs;  ///< [repeats], this rank's
};

/// Loads the session's particles, gives rank 0 the share that is asked for, builds their ORB
/// `--repeat` times on the backend and fetches the last result. Collective.
/// \throws InputError as Session::load_particles, make_weights and DistributedOrbBuilder::build
DistributedRun measure_distributed(app::Session& session, const Communicator& comm,
                                   const std::string& backend, const BuildRequest& request,
                                   const DistributedRequest& distributed);

/// Of the tree and the order over all ranks. Collective; the same on every rank.
std::uint64_t fingerprint(const Communicator& comm, const DistributedRun& run);

/// Fills the results that run_distributed names, and prints a summary. Collective.
void report_distributed(app::Session& session, const Communicator& comm, const DistributedRun& run,
                        const DistributedRequest& distributed);

}  // namespace copse
