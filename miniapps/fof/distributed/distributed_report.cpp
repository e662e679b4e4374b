#include "distributed_report.hpp"

#include <copse/app/table.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

/// Medians over the repeats of the largest and the mean over the ranks.
nlohmann::json seconds_of(const Communicator& comm, const std::vector<DistributedLinkCost>& costs,
                          double DistributedLinkCost::*part) {
  app::Samples largest, mean;
  for (const DistributedLinkCost& cost : costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

}  // namespace

void report_distributed(app::Session& session, const Communicator& comm, Count linked,
                        const std::vector<DistributedLinkCost>& costs) {
  const DistributedLinkCost& cost = costs.back();
  auto& results = session.report().results();
  const auto own = comm.allgather(cost.own);
  const auto ghosts = comm.allgather(cost.ghosts);
  const auto links = comm.allgather(cost.links);
  auto& ranks = results["ranks"] = nlohmann::json::array();
  for (std::size_t r = 0; r < own.size(); ++r)
    ranks.push_back({{"particles", own[r]}, {"ghosts", ghosts[r]}, {"links", links[r]}});
  results["merge_rounds"] = cost.merge_rounds;

  const double particles = static_cast<double>(std::max<Count>(1, linked));
  double sum = 0.0;
  const auto per_particle = [&](Count bytes) {
    const double all = static_cast<double>(comm.allreduce(bytes, Reduction::sum)) / particles;
    sum += all;
    return all;
  };
  auto& sent = results["bytes_sent_per_particle"];
  sent["domains"] = per_particle(cost.domain_bytes);
  sent["ghosts"] = per_particle(cost.ghost_bytes);
  sent["merging"] = per_particle(cost.merge_bytes);
  sent["labels"] = per_particle(cost.label_bytes);
  results["histogram_bytes_per_rank"] = comm.allreduce(cost.histogram_bytes, Reduction::max);
  results["compute_seconds"] = seconds_of(comm, costs, &DistributedLinkCost::compute_seconds);
  results["communicate_seconds"] =
      seconds_of(comm, costs, &DistributedLinkCost::communicate_seconds);
  results["wait_seconds"] = seconds_of(comm, costs, &DistributedLinkCost::wait_seconds);

  const auto range = [](const std::vector<Count>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    return fmt::format("{} to {}", *least, *most);
  };
  session.print(
      fmt::format("{} ranks of {} particles and {} ghosts; {:.1f} bytes sent a particle, "
                  "groups merged in {} rounds",
                  comm.size(), range(own), range(ghosts), sum, cost.merge_rounds));
}

}  // namespace copse::fof
