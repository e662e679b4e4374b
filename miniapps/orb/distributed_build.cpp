#include "distributed_build.hpp"

#include "fingerprint.hpp"
#include "output.hpp"
#include "verify_distributed.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace copse {
namespace {

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

/// First row of rank r: rank 0 has `factor` times the mean, the others share the rest evenly.
Count injected_begin(Count n, int rank, int ranks, double factor) {
  if (rank == 0) return 0;
  if (rank == ranks) return n;
  const auto p = static_cast<Count>(ranks);
  const auto r = static_cast<Count>(rank);
  if (factor == 1.0) return n / p * r + n % p * r / p;
  const double wanted = std::floor(factor * static_cast<double>(n) / static_cast<double>(ranks));
  const Count first = std::min(n, static_cast<Count>(wanted));
  const Count rest = n - first;
  return first + rest / (p - 1) * (r - 1) + rest % (p - 1) * (r - 1) / (p - 1);
}

template <class T, class MemorySpace>
struct CountUp {
  Kokkos::View<T*, MemorySpace> out;
  Count first;
  KOKKOS_FUNCTION void operator()(Count i) const { out(i) = first + i; }
};

/// The same rows in the same order, of which this rank now holds those that the injected imbalance
/// gives it.
template <class MemorySpace>
DistributedPoints<MemorySpace> inject(const Communicator& comm,
                                      const DistributedPoints<MemorySpace>& points, Count& first,
                                      Count total, double factor) {
  const Count end = first + points.position.extent(0);
  std::vector<Count> counts;
  for (int r = 0; r < comm.size(); ++r) {
    const Count low = std::max(first, injected_begin(total, r, comm.size(), factor));
    const Count high = std::min(end, injected_begin(total, r + 1, comm.size(), factor));
    counts.push_back(high > low ? high - low : 0);
  }
  const ExchangePlan plan = comm.plan_exchange(counts);
  const Count n = plan.receive.total();
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  DistributedPoints<MemorySpace> moved;
  moved.position = Points<3, MemorySpace>(alloc("copse::orb::points"), n);
  moved.id = Kokkos::View<GlobalId*, MemorySpace>(alloc("copse::orb::id"), n);
  comm.alltoallv(plan, points.position, moved.position);
  comm.alltoallv(plan, points.id, moved.id);
  const Count weights = comm.allreduce(Count{points.weight.extent(0)}, Reduction::max);
  if (weights > 0) {
    moved.weight = Kokkos::View<std::uint32_t*, MemorySpace>(alloc("copse::orb::weight"), n);
    comm.alltoallv(plan, points.weight, moved.weight);
  }
  first = injected_begin(total, comm.rank(), comm.size(), factor);
  return moved;
}

template <class MemorySpace>
RankParticles on_host(const DistributedPoints<MemorySpace>& points, Count first_row) {
  const auto fetch = [](const auto& view) {
    using View = std::remove_cvref_t<decltype(view)>;
    Kokkos::View<typename View::data_type, typename View::array_layout, Kokkos::HostSpace> host(
        Kokkos::view_alloc("copse::orb::fetched", Kokkos::WithoutInitializing), view.layout());
    Kokkos::deep_copy(host, view);
    return host;
  };
  return {{fetch(points.position), fetch(points.id), fetch(points.weight)}, first_row};
}

template <class ExecutionSpace>
DistributedRun run_on(const ExecutionSpace& space, app::Session& session, const Communicator& comm,
                      const BuildRequest& request, const DistributedRequest& distributed) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::string backend(backend_name<ExecutionSpace>());
  DistributedRun run;
  DistributedPoints<MemorySpace> points;
  Count first = 0;
  {
    const auto particles = session.load_particles(space, request.weights.columns());
    run.domain = particles.box;
    first = session.first_row();
    points.position = particles.position;
    points.id = Kokkos::View<GlobalId*, MemorySpace>("copse::orb::id", particles.size());
    Kokkos::parallel_for("copse::orb::number",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, particles.size()),
                         CountUp<GlobalId, MemorySpace>{points.id, first});
    if (request.weights.wanted())
      points.weight = make_weights(space, comm, request.weights, particles, session.options().seed,
                                   first, session.total_particles());
    space.fence("copse::orb::number");
  }
  if (distributed.inject_imbalance != 1.0)
    points = inject(comm, points, first, session.total_particles(), distributed.inject_imbalance);

  const Reshuffle reshuffle = distributed.when();
  const Points<3, MemorySpace> copy(
      Kokkos::view_alloc("copse::orb::copy", Kokkos::WithoutInitializing),
      points.position.extent(0));
  DistributedOrbBuilder<ExecutionSpace> builder(comm, space);
  DistributedOrb<MemorySpace> result;
  session.measure("copse::orb::run_" + backend, [&](int repeat) {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, copy, points.position);
      space.fence("copse::orb::copy");
    }
    comm.barrier();
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    result = builder.build(points,
                           {.leaves = request.leaves,
                            .rule = request.rule,
                            .axis_rule = request.axis_rule,
                            .box = run.domain},
                           reshuffle, request.weights.wanted());
    if (repeat >= 0) run.costs.push_back(builder.cost());
  });
  run.build = last_samples(session, "copse::orb::build_" + backend);
  run.copy = last_samples(session, "copse::orb::copy_" + backend);
  for (app::Samples* samples : {&run.build, &run.copy})
    comm.allreduce(std::span(samples->seconds), Reduction::max);
  run.before = on_host(points, first);
  run.after = on_host(result.points, result.first_row);
  run.tree.cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, result.tree.cells);
  run.tree.leaves = result.tree.leaves;
  run.tree.rule = result.tree.rule;
  run.tree.axis_rule = result.tree.axis_rule;
  return run;
}

std::uint64_t fingerprint(const Communicator& comm, const DistributedRun& run) {
  const std::uint64_t order = order_fingerprint(run.after.first_row, run.after.points.id);
  return tree_fingerprint(run.tree, comm.allreduce(order, Reduction::sum));
}

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

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Medians over the repeats of the largest and the mean over the ranks.
nlohmann::json seconds_of(const Communicator& comm, const DistributedRun& run,
                          double DistributedCost::*part) {
  std::vector<double> largest, mean;
  for (const DistributedCost& cost : run.costs) {
    largest.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", median(largest)}, {"mean", median(mean)}};
}

void report_run(app::Session& session, const Communicator& comm, const DistributedRun& run,
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
  results["reshuffle"] = distributed.reshuffle == "local" ? "local" : "global";
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
      distributed.reshuffle == "local" ? "local" : "global", static_cast<double>(sent) / total,
      exchanges, app::format_bytes(static_cast<double>(reduced)), before, after));
}

void write_gathered(app::Session& session, const Communicator& comm, const DistributedRun& run) {
  if (session.total_particles() > max_particles_per_rank)
    throw InputError("--output gathers the result on one rank, which cannot hold that many");
  const RankParticles all = gather_particles(comm, run.after);
  session.together([&] {
    if (comm.rank() != 0) return;
    Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation("copse::orb::permutation", all.size());
    for (Count i = 0; i < all.size(); ++i)
      permutation(i) = static_cast<LocalIndex>(all.points.id(i));
    write_orb(*session.options().output, run.tree, run.domain, permutation, all.points.position);
  });
}

/// Everything that is done once, with the first backend's result.
void finish_first(app::Session& session, const Communicator& comm, DistributedRun& run,
                  const DistributedRequest& distributed) {
  report_run(session, comm, run, distributed);
  if (!distributed.sabotage.empty())
    sabotage_distributed(comm, distributed.sabotage, run.after, run.tree);
  int failed = 0;
  if (session.options().verify) {
    const auto sentences = verify_distributed(comm, run.before, run.after, run.tree, run.domain,
                                              session.verification());
    failed = sentences.empty() ? 0 : 1;
    // Each rank knows what it found; the first that found something speaks for all.
    const int speaker = comm.allreduce(failed ? comm.rank() : comm.size(), Reduction::min);
    if (speaker == comm.rank() && !session.options().quiet)
      for (const std::string& sentence : sentences) fmt::print("rank {}: {}\n", speaker, sentence);
    failed = comm.allreduce(failed, Reduction::max);
  }
  if (!failed && session.options().output) write_gathered(session, comm, run);
}

orb_model::MeasuredRun modelled_run(const std::string& backend, const BuildRequest& request,
                                    const DistributedRequest& distributed, double seconds) {
  orb_model::MeasuredRun run;
  run.backend = backend;
  run.variant = orb_model::modelled_variant(backend, request.weights.wanted() ? "device" : "best",
                                            request.weights.wanted() ? "histogram" : "select");
  run.seconds = seconds;
  run.reshuffle = distributed.when() == Reshuffle::local ? orb_model::Reshuffle::local
                                                         : orb_model::Reshuffle::global;
  return run;
}

}  // namespace

void add_distributed_options(CLI::App& cli, DistributedRequest& request) {
  app::add_choice_option(cli, "--reshuffle", request.reshuffle, {"auto", "local", "global"},
                         "When particles move between ranks: once at the end, or after each level");
  cli.add_option("--inject-imbalance", request.inject_imbalance,
                 "Start with this multiple of the mean number of particles on rank 0, the others "
                 "share the rest")
      ->capture_default_str();
}

void validate_distributed(const DistributedRequest& request) {
  if (!(request.inject_imbalance >= 0.0) || !std::isfinite(request.inject_imbalance))
    throw InputError(
        fmt::format("--inject-imbalance {} is not a number from 0", request.inject_imbalance));
}

std::vector<orb_model::MeasuredRun> run_distributed(app::Session& session,
                                                    const BuildRequest& request,
                                                    const DistributedRequest& distributed,
                                                    const std::vector<std::string>& backends) {
  if (distributed.inject_imbalance > session.ranks())
    throw InputError(fmt::format("--inject-imbalance {} is more than all particles of {} ranks",
                                 distributed.inject_imbalance, session.ranks()));
  const Communicator comm(session.comm());
  app::Table table({"backend", "ranks", "seconds", "particles/s", "copy passes"});
  std::uint64_t first = 0;
  std::vector<orb_model::MeasuredRun> measured;
  for (const std::string& backend : backends) {
    DistributedRun run;
    dispatch_backend(backend,
                     [&](auto space) { run = run_on(space, session, comm, request, distributed); });
    const double seconds = run.build.median();
    measured.push_back(modelled_run(backend, request, distributed, seconds));
    const double rate = static_cast<double>(session.total_particles()) / seconds;
    const double passes = seconds / run.copy.median();
    table.add_row({backend, std::to_string(comm.size()), app::format_seconds(seconds),
                   app::format_rate(rate), fmt::format("{:.1f}", passes)});
    const std::string suffix = backends.size() > 1 ? "_" + backend : "";
    session.report().add_figure_of_merit("copy_passes" + suffix, passes, "passes");
    session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
    const std::uint64_t mark = fingerprint(comm, run);
    if (backend == backends.front()) {
      first = mark;
      finish_first(session, comm, run, distributed);
    } else if (session.options().verify) {
      session.verification().require(backend + "_equals_" + backends.front(), mark == first);
    }
  }
  session.print(table);
  return measured;
}

}  // namespace copse
