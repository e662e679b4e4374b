#include "rank_cost.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace copse::collide {
namespace {

/// Medians over the runs of the maximum and the mean over the ranks.
nlohmann::json seconds_of(const Communicator& comm, const std::vector<RankCost>& costs,
                          double RankCost::*part) {
  app::Samples largest, mean;
  for (const RankCost& cost : costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

double max_over_mean(const std::vector<Count>& of_ranks) {
  const auto sum = std::accumulate(of_ranks.begin(), of_ranks.end(), Count{0});
  if (sum == 0) return 1.0;
  const auto most = *std::max_element(of_ranks.begin(), of_ranks.end());
  return static_cast<double>(most) * static_cast<double>(of_ranks.size()) /
         static_cast<double>(sum);
}

}  // namespace

void report_ranks(app::Session& session, const std::string& method,
                  const std::vector<RankCost>& costs, nlohmann::json& results) {
  const Communicator comm(session.comm());
  const RankCost& cost = costs.back();
  const auto first = comm.allgather(cost.first_particles);
  const auto last = comm.allgather(cost.last_particles);
  const auto work = comm.allgather(cost.particle_steps);
  const auto ghosts = comm.allgather(cost.ghost_steps);
  const double steps = std::max(1.0, static_cast<double>(cost.steps));
  auto& ranks = results["ranks"] = nlohmann::json::array();
  for (std::size_t r = 0; r < first.size(); ++r)
    ranks.push_back({{"particles_before", first[r]},
                     {"particles_after", last[r]},
                     {"particles", static_cast<double>(work[r]) / steps},
                     {"ghosts", static_cast<double>(ghosts[r]) / steps}});
  const auto per_step = [&](Count RankCost::*part) {
    return static_cast<double>(comm.allreduce(cost.*part, Reduction::sum)) / steps;
  };
  results["imbalance_before"] = max_over_mean(first);
  results["imbalance_after"] = max_over_mean(last);
  results["imbalance"] = max_over_mean(work);
  results["migrants_per_step"] = per_step(&RankCost::migrants);
  const double migration = per_step(&RankCost::migration_bytes);
  const double ghost = per_step(&RankCost::ghost_bytes);
  const double domain = per_step(&RankCost::domain_bytes);
  results["bytes_sent_per_step"] = {
      {"migration", migration}, {"ghosts", ghost}, {"domains", domain}};
  results["compute_seconds"] = seconds_of(comm, costs, &RankCost::compute_seconds);
  results["communicate_seconds"] = seconds_of(comm, costs, &RankCost::communicate_seconds);
  results["wait_seconds"] = seconds_of(comm, costs, &RankCost::wait_seconds);
  results["hidden_seconds"] = seconds_of(comm, costs, &RankCost::hidden_seconds);
  if (comm.size() == 1) return;
  const auto mean = [&](const char* part) { return results[part]["mean"].get<double>(); };
  session.print(fmt::format(
      "{} on {} ranks: {:.3g} s of computation ({:.3g} s of it while messages were in flight), "
      "{:.3g} s of communication, {:.3g} s of waiting; {:.0f} bytes sent in a step; largest over "
      "mean number of particles {:.3f} before, {:.3f} after",
      method, comm.size(), mean("compute_seconds"), mean("hidden_seconds"),
      mean("communicate_seconds"), mean("wait_seconds"), migration + ghost + domain,
      max_over_mean(first), max_over_mean(last)));
}

}  // namespace copse::collide
