#include "distributed_run.hpp"
#include "fingerprint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace copse {
namespace {

/// What a rank has to do: particles, or their weight.
double load_of(const RankParticles& particles) {
  const auto& weight = particles.points.weight;
  if (weight.extent(0) == 0) return static_cast<double>(particles.size());
  Count sum = 0;
  for (Count i = 0; i < weight.extent(0); ++i) sum += weight(i);
  return static_cast<double>(sum);
}

/// The largest of all ranks over the mean; 1 if all have nothing.
double over_mean(const Communicator& comm, double mine) {
  const double sum = comm.allreduce(mine, Reduction::sum);
  return sum > 0 ? comm.allreduce(mine, Reduction::max) * comm.size() / sum : 1.0;
}

/// Medians over the repeats of the largest and the mean over the ranks.
nlohmann::json seconds_of(const Communicator& comm, const DistributedRun& run,
                          double DistributedCost::*part) {
  app::Samples largest, mean;
  for (const DistributedCost& cost : run.costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

}  // namespace

std::uint64_t fingerprint(const Communicator& comm, const DistributedRun& run) {
  const std::uint64_t order = order_fingerprint(run.after.first_row, run.after.points.id);
  return tree_fingerprint(run.tree, comm.allreduce(order, Reduction::sum));
}

void report_distributed(app::Session& session, const Communicator& comm, const DistributedRun& run,
                        const DistributedRequest& distributed) {
  Count smallest = ~Count{0};
  Count largest = 0;
  for (std::size_t i = 1; i < run.tree.cells.extent(0); ++i) {
    const OrbCell& cell = run.tree.cells(i);
    if (cell.leaves != 1) continue;
    smallest = std::min(smallest, cell.end - cell.begin);
    largest = std::max(largest, cell.end - cell.begin);
  }
  const auto total = static_cast<double>(session.total_particles());
  const DistributedCost& cost = run.costs.back();
  auto& results = session.report().results();
  results["leaves"] = run.tree.leaves;
  results["depth"] = orb_depth(run.tree.leaves);
  results["smallest_leaf"] = smallest;
  results["largest_leaf"] = largest;
  results["imbalance"] = static_cast<double>(largest) * run.tree.leaves / total;
  results["checksum"] = fmt::format("{:016x}", fingerprint(comm, run));
  const char* const reshuffle = name_of(distributed.when(comm.size(), run.tree.leaves));
  results["reshuffle"] = reshuffle;
  results["compute_seconds"] = seconds_of(comm, run, &DistributedCost::compute_seconds);
  results["communicate_seconds"] = seconds_of(comm, run, &DistributedCost::communicate_seconds);
  results["wait_seconds"] = seconds_of(comm, run, &DistributedCost::wait_seconds);
  const Count sent = comm.allreduce(cost.particle_bytes_sent, Reduction::sum);
  const Count reduced = comm.allreduce(cost.bytes_reduced, Reduction::max);
  const int exchanges = comm.allreduce(cost.exchanges, Reduction::max);
  results["bytes_sent_per_particle"] = static_cast<double>(sent) / total;
  results["bytes_reduced_per_rank"] = reduced;
  results["exchanges"] = exchanges;
  results["iterations_per_level"] = cost.rounds_per_level;
  const double before = over_mean(comm, load_of(run.before));
  const double after = over_mean(comm, load_of(run.after));
  results["imbalance_before"] = before;
  results["imbalance_after"] = after;

  const Count weights = comm.allreduce(Count{run.after.points.weight.extent(0)}, Reduction::sum);
  if (weights > 0) {
    // A leaf is whole on one rank.
    double heaviest = 0.0;
    for (std::size_t i = 1; i < run.tree.cells.extent(0); ++i) {
      const OrbCell& leaf = run.tree.cells(i);
      if (leaf.leaves != 1 || leaf.begin < run.after.first_row ||
          leaf.end > run.after.first_row + run.after.size())
        continue;
      Count sum = 0;
      for (Count row = leaf.begin; row < leaf.end; ++row)
        sum += run.after.points.weight(row - run.after.first_row);
      heaviest = std::max(heaviest, static_cast<double>(sum));
    }
    heaviest = comm.allreduce(heaviest, Reduction::max);
    const double weight = comm.allreduce(load_of(run.after), Reduction::sum);
    results["weight_imbalance"] = weight > 0 ? heaviest * run.tree.leaves / weight : 1.0;
  }
  session.print(fmt::format("{} leaves of {} to {} particles on {} ranks", run.tree.leaves,
                            smallest, largest, comm.size()));
  session.print(fmt::format(
      "{} reshuffling: {:.1f} bytes a particle in {} exchanges, {} of histograms a rank; imbalance "
      "of ranks {:.3f} before, {:.3f} after",
      reshuffle, static_cast<double>(sent) / total, exchanges,
      app::format_bytes(static_cast<double>(reduced)), before, after));
}

}  // namespace copse
