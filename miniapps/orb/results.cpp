#include "results.hpp"

#include "fingerprint.hpp"
#include "output.hpp"
#include <copse/backend/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace copse::orb {
namespace {

/// Fingerprint of the tree and the order over all ranks; of the tree alone if the order is not
/// repeatable or unknown. Collective; the same on every rank.
std::uint64_t checksum(const Communicator& comm, const MeasuredBuild& build,
                       const Variant& variant) {
  std::uint64_t order = 0;
  if (build.is_distributed())
    order = order_fingerprint(build.after.first_row, build.after.points.id);
  else if (variant.is_repeatable())
    order = order_fingerprint(0, build.permutation);
  return tree_fingerprint(build.tree, comm.allreduce(order, Reduction::sum));
}

/// The load of a rank: its particles, or their weight.
double load_of(const RankParticles& particles) {
  const auto& weight = particles.points.weight;
  if (weight.extent(0) == 0) return static_cast<double>(particles.size());
  Count sum = 0;
  for (Count i = 0; i < weight.extent(0); ++i) sum += weight(i);
  return static_cast<double>(sum);
}

/// The maximum over the ranks divided by the mean; 1 if all are zero.
double over_mean(const Communicator& comm, double mine) {
  const double sum = comm.allreduce(mine, Reduction::sum);
  return sum > 0 ? comm.allreduce(mine, Reduction::max) * comm.size() / sum : 1.0;
}

/// Medians over the repeats of the maximum and the mean over the ranks.
nlohmann::json seconds_of(const Communicator& comm, const MeasuredBuild& build,
                          double DistributedCost::*part) {
  app::Samples largest, mean;
  for (const DistributedCost& cost : build.costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

/// Reports the communication of a distributed build.
void report_ranks(app::Session& session, const Communicator& comm, const MeasuredBuild& build) {
  auto& results = session.report().results();
  const DistributedCost& cost = build.costs.back();
  const char* const reshuffle = name_of(*build.reshuffle);
  const Count sent = comm.allreduce(cost.particle_bytes_sent, Reduction::sum);
  const Count reduced = comm.allreduce(cost.bytes_reduced, Reduction::max);
  const int exchanges = comm.allreduce(cost.exchanges, Reduction::max);
  const double before = over_mean(comm, load_of(build.before));
  const double after = over_mean(comm, load_of(build.after));
  const double sent_each =
      static_cast<double>(sent) / static_cast<double>(session.total_particles());
  results["reshuffle"] = reshuffle;
  results["compute_seconds"] = seconds_of(comm, build, &DistributedCost::compute_seconds);
  results["communicate_seconds"] = seconds_of(comm, build, &DistributedCost::communicate_seconds);
  results["wait_seconds"] = seconds_of(comm, build, &DistributedCost::wait_seconds);
  results["bytes_sent_per_particle"] = sent_each;
  results["bytes_reduced_per_rank"] = reduced;
  results["exchanges"] = exchanges;
  results["iterations_per_level"] = cost.rounds_per_level;
  results["imbalance_before"] = before;
  results["imbalance_after"] = after;
  session.print(
      fmt::format("{} reshuffling: {:.1f} bytes per particle in {} exchanges, {} of histograms per "
                  "rank; imbalance of ranks {:.3f} before, {:.3f} after",
                  reshuffle, sent_each, exchanges, app::format_bytes(static_cast<double>(reduced)),
                  before, after));
}

/// Reports the levels of a variant's build.
void report_levels(app::Session& session, const MeasuredBuild& build, const Variant& variant) {
  if (!variant.is_repeatable())
    session.print(
        "the order within leaves varies from run to run: it is neither checked nor "
        "compared nor part of the checksum");
  if (build.log.levels.empty()) return;
  auto& results = session.report().results();
  results["bytes_to_device"] = build.bytes_to_device;
  std::vector<int> iterations;
  std::vector<Count> launches;
  for (const LevelLog& level : build.log.levels) {
    iterations.push_back(level.iterations);
    launches.push_back(level.launches);
  }
  if (std::count(iterations.begin(), iterations.end(), 0) == std::ssize(iterations)) return;
  results["iterations_per_level"] = iterations;
  session.print(fmt::format("iterations per level: {}", fmt::join(iterations, " ")));
  if (std::count(launches.begin(), launches.end(), Count{0}) == std::ssize(launches)) return;
  results["launches_per_level"] = launches;
  session.print(fmt::format("count launches per level: {}", fmt::join(launches, " ")));
}

/// Reports the batches of a streamed build.
void report_stream(app::Session& session, const MeasuredBuild& build, const Variant& variant) {
  Count sent = 0;
  for (const LevelLog& level : build.log.levels) sent += level.bytes_to_device;
  const double each = static_cast<double>(sent) / static_cast<double>(session.total_particles());
  const Count batches = (session.total_particles() + variant.batch - 1) / variant.batch;
  session.report().results()["stream"] = {
      {"batch", variant.batch}, {"batches", batches}, {"bytes_per_particle", each}};
  session.print(fmt::format("streamed in batches of {} particles ({}): {:.1f} B per particle sent",
                            variant.batch, batches, each));
}

/// Field by field, because a cell has padding.
bool same_cell(const OrbCell& a, const OrbCell& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (a.lower[axis] != b.lower[axis] || a.upper[axis] != b.upper[axis]) return false;
  return a.begin == b.begin && a.end == b.end && a.leaves == b.leaves && a.cut_axis == b.cut_axis &&
         a.cut == b.cut;
}

/// Mean number of sweeps of all keys by the bisections of a level; 0 if none were counted.
double mean_steps(const MeasuredBuild& build) {
  Count keys = 0;
  for (const LevelLog& level : build.log.levels) keys += level.keys_counted;
  const Count rows = build.after.size() * build.log.levels.size();
  return rows > 0 ? static_cast<double>(keys) / static_cast<double>(rows) : 0.0;
}

}  // namespace

bool verify_build(app::Session& session, const Communicator& comm, const Request& request,
                  const MeasuredBuild& build) {
  std::vector<std::string> sentences;
  if (build.is_distributed()) {
    sentences = verify_distributed(comm, build.before, build.after, build.tree, build.domain,
                                   session.verification());
  } else {
    Particles<Kokkos::HostSpace> original;
    original.position = build.before.points.position;
    original.box = build.domain;
    sentences = verify_orb(original, build.after.points.position, build.permutation, build.tree,
                           session.verification(),
                           {.order_kept = request.variant.is_stable(),
                            .alpha = request.variant.alpha,
                            .weight = build.before.points.weight,
                            .input_checksum = build.input_checksum});
  }
  // Each rank has its own findings; the first rank with a finding reports.
  const bool passed = sentences.empty() && session.verification().passed();
  const int speaker = comm.allreduce(passed ? comm.size() : comm.rank(), Reduction::min);
  const std::string who = build.is_distributed() ? fmt::format("rank {}: ", speaker) : "";
  if (speaker == comm.rank() && !session.options().quiet)
    for (const std::string& sentence : sentences) fmt::print("{}{}\n", who, sentence);
  return speaker == comm.size();
}

void report_build(app::Session& session, const Communicator& comm, const Request& request,
                  const MeasuredBuild& build) {
  Count smallest = ~Count{0};
  Count largest = 0;
  for (std::size_t i = 1; i < build.tree.cells.extent(0); ++i) {
    const OrbCell& cell = build.tree.cells(i);
    if (cell.leaves != 1) continue;
    smallest = std::min(smallest, cell.end - cell.begin);
    largest = std::max(largest, cell.end - cell.begin);
  }
  const double mean = static_cast<double>(session.total_particles()) / build.tree.leaves;
  auto& results = session.report().results();
  results["leaves"] = build.tree.leaves;
  results["depth"] = orb_depth(build.tree.leaves);
  results["smallest_leaf"] = smallest;
  results["largest_leaf"] = largest;
  results["imbalance"] = mean > 0 ? static_cast<double>(largest) / mean : 1.0;
  results["checksum"] = fmt::format("{:016x}", checksum(comm, build, request.variant));
  if (request.weights.wanted())
    results["weight_imbalance"] =
        weight_imbalance(comm, build, [&](Count row) { return build.weight_of(row); });
  session.print(fmt::format(
      "{} leaves of {} to {} particles{}", build.tree.leaves, smallest, largest,
      build.is_distributed() ? fmt::format(" on {} ranks", comm.size()) : std::string()));
  const bool is_transfer = !build.is_distributed() && request.variant.batch == 0;
  if (build.compressed) report_compression(session, *build.compressed, !is_transfer);
  if (request.variant.batch > 0) report_stream(session, build, request.variant);
  if (build.is_distributed()) return report_ranks(session, comm, build);
  report_levels(session, build, request.variant);
}

void write_build(app::Session& session, const Communicator& comm, const MeasuredBuild& build) {
  const auto& path = *session.options().output;
  if (!build.is_distributed())
    return write_orb(path, build.tree, build.domain, build.permutation,
                     build.after.points.position);
  if (session.total_particles() > max_particles_per_rank)
    throw InputError(
        "--output gathers the result on one rank, which cannot hold so many particles");
  const RankParticles all = gather_particles(comm, build.after);
  session.together([&] {
    if (comm.rank() == 0)
      write_orb(path, build.tree, build.domain, local_indices(all.points.id), all.points.position);
  });
}

bool same_build(const MeasuredBuild& a, const MeasuredBuild& b, const Variant& variant) {
  if (a.tree.cells.extent(0) != b.tree.cells.extent(0)) return false;
  for (std::size_t i = 1; i < a.tree.cells.extent(0); ++i)
    if (!same_cell(a.tree.cells(i), b.tree.cells(i))) return false;
  if (!variant.is_repeatable()) return true;
  const auto same_bytes = [](const auto& x, const auto& y) {
    return x.span() == y.span() &&
           (x.span() == 0 || std::memcmp(x.data(), y.data(), x.span() * sizeof(*x.data())) == 0);
  };
  return same_bytes(a.permutation, b.permutation) &&
         same_bytes(a.after.points.position, b.after.points.position) &&
         same_bytes(a.after.points.id, b.after.points.id);
}

SpeedTable::SpeedTable(app::Session& session, const Request& request)
    : session_(session),
      request_(request),
      distributed_(request.is_distributed(session.ranks())),
      table_(distributed_ ? std::vector<std::string>{"backend", "ranks", "seconds", "particles/s",
                                                     "copy passes"}
                          : std::vector<std::string>{"backend", "seconds", "particles/s",
                                                     "copy passes", "speed-up"}) {}

void SpeedTable::add(const MeasuredBuild& build) {
  const double seconds = build.build.median();
  const double rate = static_cast<double>(session_.total_particles()) / seconds;
  // The build time in units of copies of the positions. Uses medians, so that one disturbed run
  // does not matter.
  const double passes = seconds / build.copy.median();
  model::MeasuredRun run{build.backend, modelled_variant(build.backend, request_), seconds,
                         mean_steps(build), build.reshuffle.value_or(Reshuffle::global)};
  const auto add_run = [&](int bits, double measured, bool is_send) {
    run.variant.bits = bits;
    run.seconds = measured;
    run.is_send = is_send;
    runs_.push_back(run);
  };
  const bool is_transfer = !distributed_ && request_.variant.batch == 0;
  add_run(is_transfer ? 0 : request_.compress_bits, seconds, false);
  if (build.compressed) {
    add_run(0, build.compressed->plain_seconds.median(), is_transfer);
    if (is_transfer) add_run(request_.compress_bits, build.compressed->seconds.median(), true);
  }
  std::vector<std::string> cells{build.backend, app::format_seconds(seconds),
                                 app::format_rate(rate), fmt::format("{:.1f}", passes)};
  if (distributed_)
    cells.insert(cells.begin() + 1, std::to_string(session_.ranks()));
  else
    cells.push_back(fmt::format("{:.2f}", runs_.front().seconds / seconds));
  table_.add_row(cells);
  const std::string suffix = request_.all_backends ? "_" + build.backend : "";
  session_.report().add_figure_of_merit("copy_passes" + suffix, passes, "passes");
  session_.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
}

}  // namespace copse::orb
