#pragma once
/// \file
/// What a run of orb will need at its fullest moment: `--dry-run`.
///
/// Two things hold memory: the measurement (particles as loaded and their copy for the
/// verification, rows being reordered, the result on the host) and the build, which knows its own
/// needs
/// (`estimate_bytes` of the builders, `workspace_bytes` of searches and movers). Loading a file and
/// writing one need less. Right to a quarter on every host backend, and hardly ever too low.

#include "measured_build.hpp"
#include <copse/domains/distributed_orb.hpp>

#include <string>
#include <vector>

namespace copse {

/// Bytes of one rank.
struct MemoryEstimate {
  Count device = 0;
  Count host = 0;  ///< page-locked memory included
};

/// What measuring the builds of n particles needs, on each of the backends in turn. Kokkos must
/// run. \pre refuse_impossible accepts the variant on all of them
MemoryEstimate estimate_memory(Count n, const BuildRequest& request,
                               const std::vector<std::string>& backends);

/// As above for one rank's share of n particles that are spread over ranks.
MemoryEstimate estimate_distributed_memory(Count n, int ranks, const BuildRequest& request,
                                           Reshuffle reshuffle,
                                           const std::vector<std::string>& backends);

}  // namespace copse
