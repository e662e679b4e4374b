#pragma once
/// \file
/// `mpirun -n P fof`: friends of friends over MPI ranks, measured, verified and reported.

#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

namespace copse::fof {

/// Links this rank's part of the input, and the other ranks theirs, with every method on every
/// backend of the request. Collective.
///
/// results: ranks (a list, by rank: particles and ghosts of the domain, links to other ranks found
/// there); merge_rounds; bytes_sent_per_particle {domains, ghosts, merging, labels};
/// histogram_bytes_per_rank; compute_seconds, communicate_seconds and wait_seconds {max, mean} over
/// ranks, each the median of the repeats. All of the first method on the first backend.
/// Numbers a particle are of those that are linked.
/// Groups are then counted, and with --output written, without gathering particles
/// (report_owned.hpp).
/// \throws InputError also for more particles than --verify can gather on one rank
void run_distributed(app::Session& session, const Request& request, const LinkedInput& input);

}  // namespace copse::fof
