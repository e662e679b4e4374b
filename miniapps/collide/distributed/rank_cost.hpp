#pragma once
/// \file
/// What the steps of a run cost one rank, and how it is reported.

#include <copse/app/session.hpp>
#include <copse/backend/types.hpp>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace copse::collide {

/// What the steps since the last `load` cost this rank. Bytes are those sent to other ranks.
struct RankCost {
  Count steps = 0;
  Count first_particles = 0, last_particles = 0;  ///< owned after the load, and now
  Count particle_steps = 0, ghost_steps = 0;      ///< owned particles and ghosts, summed over steps
  Count migrants = 0;                             ///< particles that left for another rank
  Count migration_bytes = 0, ghost_bytes = 0;
  Count domain_bytes = 0;  ///< to cut domains again
  double compute_seconds = 0.0, communicate_seconds = 0.0;
  double wait_seconds = 0.0;    ///< in a barrier before every collective
  double hidden_seconds = 0.0;  ///< of computation while messages were in flight
};

/// Adds the costs of the measured runs to the results of a method, and prints a line if there are
/// several ranks. Collective.
void report_ranks(app::Session& session, const std::string& method,
                  const std::vector<RankCost>& costs, nlohmann::json& results);

}  // namespace copse::collide
