#include "run_distributed.hpp"

#include "../methods.hpp"
#include "../problem_in.hpp"
#include "../sabotage.hpp"
#include "distributed_linker.hpp"
#include "distributed_report.hpp"
#include "gathered_groups.hpp"
#include "report_owned.hpp"
#include "verify_distributed.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace copse::fof {
namespace {

struct MeasuredRanks {
  std::string backend;
  std::string method;
  app::Samples total;  ///< particles to labels, of the slowest rank
  app::Samples link;   ///< of that, the links on each rank
  GlobalLabels<Kokkos::HostSpace> labels;
  std::vector<DistributedLinkCost> costs;  ///< [repeats], this rank's

  std::string name() const { return method + "_" + backend; }
};

/// The slowest rank's samples of a phase; a rank without particles may not have been in it.
app::Samples slowest(const app::Session& session, const Communicator& comm,
                     const std::string& label) {
  app::Samples samples = session.last_samples(label);
  samples.seconds.resize(session.options().repeat, 0.0);
  comm.allreduce(std::span(samples.seconds), Reduction::max);
  return samples;
}

template <class ExecutionSpace>
MeasuredRanks measure_on(const ExecutionSpace& space, app::Session& session,
                         const Communicator& comm, const Request& request, const LinkedInput& input,
                         const std::string& method, Fault fault) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto problem = problem_in<MemorySpace>(input.problem());
  const GlobalLabels<MemorySpace> labels(
      Kokkos::view_alloc("copse::fof::labels", Kokkos::WithoutInitializing), problem.size());
  MeasuredRanks measured;
  measured.backend = std::string(backend_name<ExecutionSpace>());
  measured.method = method;
  DistributedLinker<ExecutionSpace> distributed(comm, space);
  with_linker(method, space, [&](auto linker) {
    const auto local_link = [&](const auto& particles, const auto& local) {
      linker.link(particles, request.link, local);
    };
    measured.total = session.measure("copse::fof::run_" + measured.name(), [&](int repeat) {
      distributed.link(problem, input.particles.box, local_link, labels, {.fault = fault});
      if (repeat >= 0) measured.costs.push_back(distributed.cost());
    });
  });
  measured.link = slowest(session, comm, "copse::fof::link");
  measured.labels = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  return measured;
}

void report_times(app::Session& session, Count linked, const std::vector<MeasuredRanks>& measured) {
  app::Table table({"method", "backend", "ranks", "seconds", "link", "particles/s"});
  for (const MeasuredRanks& m : measured) {
    const double rate = static_cast<double>(linked) / m.total.median();
    table.add_row({m.method, m.backend, std::to_string(session.ranks()),
                   app::format_seconds(m.total.median()), app::format_seconds(m.link.median()),
                   app::format_rate(rate)});
    const std::string suffix = measured.size() > 1 ? "_" + m.name() : "";
    if (&m == &measured.front()) session.report().results()["seconds"] = m.total.median();
    session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
  }
  session.print(table);
}

}  // namespace

void run_distributed(app::Session& session, const Request& request, const LinkedInput& input) {
  const Count particles = session.total_particles();
  if (session.options().verify) require_gatherable(particles, "--verify");
  const Communicator comm(session.comm());
  session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
  const Fault fault = fault_named(request.sabotage);
  std::vector<MeasuredRanks> measured;
  for (const std::string& backend : request.backends)
    for (const std::string& method : request.methods)
      dispatch_backend(backend, [&](auto space) {
        measured.push_back(measure_on(space, session, comm, request, input, method,
                                      measured.empty() ? fault : Fault::none));
      });
  const MeasuredRanks& first = measured.front();
  report_distributed(session, comm, input.total_linked, first.costs);
  report_times(session, input.total_linked, measured);
  if (session.options().verify) {
    for (const MeasuredRanks& m : measured) {
      if (&m == &first) continue;
      session.verification().require(
          m.name() + "_equals_" + first.name(),
          std::equal(m.labels.data(), m.labels.data() + m.labels.extent(0), first.labels.data()));
    }
    const GatheredGroups all = gather_groups(comm, input, first.labels);
    session.print(verify_distributed(session, comm, input, all,
                                     is_sabotage(request.sabotage) ? request.sabotage : ""));
  }
  const int passed = comm.allreduce(session.verification().passed() ? 1 : 0, Reduction::min);
  GlobalLabels<Kokkos::HostSpace> verified;
  if (session.options().verify) verified = first.labels;
  for (MeasuredRanks& m : measured) m.labels = {};  // they are made once more
  if (passed > 0)
    report_owned(session, comm, request, input, first.backend, first.method, verified);
}

}  // namespace copse::fof
