#include "distributed_build.hpp"

#include "distributed_run.hpp"
#include "output.hpp"
#include "verify_distributed.hpp"
#include <copse/backend/error.hpp>
#include <copse/domains/leaf_ownership.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace copse {
namespace {

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
  report_distributed(session, comm, run, distributed);
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
                                    const DistributedRequest& distributed, int ranks,
                                    double seconds) {
  orb_model::MeasuredRun run;
  run.backend = backend;
  run.variant = modelled_variant(backend, request);
  run.seconds = seconds;
  run.reshuffle = distributed.when(ranks, request.leaves);
  return run;
}

}  // namespace

Reshuffle DistributedRequest::when(int ranks, std::uint32_t leaves) const {
  if (reshuffle != "auto") return reshuffle_named(reshuffle);
  const bool even = LeafOwnership{leaves, ranks}.is_a_cell_each();
  return even ? Reshuffle::once : Reshuffle::global;
}

void add_distributed_options(CLI::App& cli, DistributedRequest& request) {
  app::add_choice_option(cli, "--reshuffle", request.reshuffle, {"auto", "local", "global", "once"},
                         "When particles move between ranks: at the end, after each level, or once "
                         "when no cell is shared any more");
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
  session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
  app::Table table({"backend", "ranks", "seconds", "particles/s", "copy passes"});
  std::uint64_t first = 0;
  std::vector<orb_model::MeasuredRun> measured;
  for (const std::string& backend : backends) {
    DistributedRun run = measure_distributed(session, comm, backend, request, distributed);
    const double seconds = run.build.median();
    measured.push_back(modelled_run(backend, request, distributed, comm.size(), seconds));
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
