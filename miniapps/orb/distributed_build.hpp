#pragma once
/// \file
/// `mpirun -n P orb`: an ORB over MPI ranks, measured, verified and reported.

#include "measured_build.hpp"
#include "model/report.hpp"
#include <copse/app/session.hpp>
#include <copse/domains/distributed_orb.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace copse {

struct DistributedRequest {
  std::string reshuffle = "auto";  ///< auto: as `when` says, but no distributed build on one rank
  double inject_imbalance = 1.0;   ///< what rank 0 starts with, as a multiple of the mean
  std::string sabotage;            ///< see is_distributed_sabotage

  /// Whether one rank is to build as several do.
  bool wanted() const { return reshuffle != "auto" || inject_imbalance != 1.0; }
  /// auto: once where no cell of a rank's is shared below the first levels, else global.
  Reshuffle when(int ranks, std::uint32_t leaves) const;
};

void add_distributed_options(CLI::App& cli, DistributedRequest& request);

/// \throws InputError for an imbalance that no distribution has
void validate_distributed(const DistributedRequest& request);

/// Builds on each of the backends, reports the first and compares the others with it. Collective.
///
/// results: compute_seconds, communicate_seconds and wait_seconds {max, mean} over ranks, each the
/// median of the repeats; bytes_sent_per_particle (particles that changed rank; those of the build
/// alone); bytes_reduced_per_rank (histograms, the largest); imbalance_before and _after (largest
/// load of a rank over the mean; load is weight where there are weights).
/// \return the median seconds on each backend, for the model
/// \throws InputError also if the imbalance asked for is more than the number of ranks
std::vector<orb_model::MeasuredRun> run_distributed(app::Session& session,
                                                    const BuildRequest& request,
                                                    const DistributedRequest& distributed,
                                                    const std::vector<std::string>& backends);

}  // namespace copse
