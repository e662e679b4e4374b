#include "measured_linking.hpp"

#include "methods.hpp"
#include "pick_rows.hpp"
#include "problem_in.hpp"
#include "species/selection.hpp"
#include <copse/app/corruptible.hpp>
#include <copse/app/print_speeds.hpp>
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/wrap.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace copse::fof {

void link_only(LinkedInput& input, Species species) {
  input.partial = true;
  input.all = input.particles;
  input.rows = rows_of_species(input.all, species, true);
  input.others = rows_of_species(input.all, species, false);
  const Kokkos::DefaultHostExecutionSpace host;
  input.particles = pick_rows(host, input.all, input.rows);
  host.fence("copse::fof::pick_rows");
}

namespace {

/// Keeps only the species to link in `particles`. If all are linked and all have one species, drops
/// the species column. Collective. \return the number of linked particles, over all ranks
Count choose_species(app::Session& session, const Request& request, LinkedInput& input) {
  auto counts = count_species(input.particles);
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), 4, MPI_UINT64_T, MPI_SUM, session.comm());
  const Count total = session.total_particles();
  if (!request.species) {
    if (std::find(counts.begin(), counts.end(), total) != counts.end())
      input.particles.species = {};
    return total;
  }
  const auto wanted = static_cast<std::size_t>(*request.species);
  if (counts == decltype(counts){})
    throw InputError("--species needs particles of known species, which the input does not have");
  if (counts[wanted] == 0)
    throw InputError(
        fmt::format("--species {}: the input has none, but {} gas, {} dark, {} star "
                    "and {} other particles",
                    species_names[wanted], counts[0], counts[1], counts[2], counts[3]));
  link_only(input, *request.species);
  session.print(fmt::format("{} of {} particles are linked: {}", counts[wanted], total,
                            species_names[wanted]));
  return counts[wanted];
}

}  // namespace

LinkedInput load_input(app::Session& session, const Request& request) {
  LinkedInput input;
  const Kokkos::DefaultHostExecutionSpace host;
  input.particles = session.load_particles(
      host, {.velocity = request.in_phase_space() || session.options().output,
             .mass = true,
             .id = true,
             .species = request.species || session.options().input});
  auto& particles = input.particles;
  session.together([&] {  // a rank without particles lacks no velocities
    if (request.in_phase_space() && particles.velocity.extent(0) != particles.size())
      throw InputError("--velocity-link needs velocities, which the input does not have");
  });
  if (request.periodic && !request.period && session.options().input && !session.options().box &&
      !particles.box.fully_periodic())
    throw InputError(
        "--periodic needs a length, because the input's box may be only the bounding box of its "
        "particles; --box also gives one");
  particles.box = linking_box(request, particles.box);
  input.wrapped = wrap_positions(host, particles.position, particles.box);
  MPI_Allreduce(MPI_IN_PLACE, &input.wrapped, 1, MPI_UINT64_T, MPI_SUM, session.comm());
  input.total_linked = choose_species(session, request, input);
  input.links = linking_lengths(request, particles.box, input.total_linked);
  input.friendship = make_friendship(input.links, particles.box);
  return input;
}

namespace {

/// One sample of a phase for each repeat, even if no rank has entered it because there are no
/// particles.
app::Samples every_sample(const app::Session& session, const std::string& label) {
  app::Samples samples = session.last_samples(label);
  samples.seconds.resize(session.options().repeat, 0.0);
  return samples;
}

/// The first linking of a request is the one that is reported.
template <class ExecutionSpace>
MeasuredLinking measure_on(const ExecutionSpace& space, app::Session& session,
                           const Communicator& comm, const Request& request,
                           const LinkedInput& input, const std::string& method, bool first) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  // Copies even on a host: the returned labels are in the linker's workspace.
  const auto on_host = [](const auto& view) {
    const auto host = Kokkos::create_mirror(
        Kokkos::view_alloc(Kokkos::HostSpace{}, Kokkos::WithoutInitializing), view);
    Kokkos::deep_copy(host, view);
    return host;
  };
  const auto problem = problem_in<MemorySpace>(input.problem());
  const auto memory = [&] {
    return runs_on_host<ExecutionSpace> ? session.memory().host() : session.memory().device();
  };
  const Count bytes_before = memory().current_bytes;
  MeasuredLinking measured;
  measured.backend = backend_name<ExecutionSpace>();
  measured.method = method;
  const auto ranks = std::make_shared<DistributedLinker<ExecutionSpace>>(comm, space);
  with_linker(method, space, [&](auto linker) {
    const auto local_link = [&](const auto& particles, const auto& labels) {
      linker.link(particles, request.link, labels);
    };
    measured.total = session.measure("copse::fof::run_" + measured.name(), [&](int repeat) {
      ranks->link(problem, input.particles.box, local_link);
      if (repeat >= 0) measured.costs.push_back(ranks->cost());
    });
  });
  if (method_named(method).has_tree) measured.build = every_sample(session, "copse::fof::build");
  measured.link = every_sample(session, "copse::fof::link");
  measured.bytes = memory().peak_bytes - bytes_before;
  measured.labels = on_host(ranks->labels());
  app::corruptible(measured, comm);
  if (!first || (comm.size() == 1 && !input.partial)) return measured;
  measured.members = [ranks, on_host] { return on_host(ranks->members()); };
  measured.groups_near = [ranks, on_host, rule = input.friendship](const auto& others) {
    const GlobalLabels<MemorySpace> groups(
        Kokkos::view_alloc("copse::fof::groups_of_others", Kokkos::WithoutInitializing),
        others.extent(0));
    ranks->find_groups_near(Kokkos::create_mirror_view_and_copy(MemorySpace{}, others), rule,
                            groups);
    return on_host(groups);
  };
  return measured;
}

}  // namespace

std::vector<MeasuredLinking> measure_linkings(app::Session& session, const Communicator& comm,
                                              const Request& request, const LinkedInput& input) {
  std::vector<MeasuredLinking> measured;
  for (const std::string& backend : request.backends)
    for (const std::string& method : request.methods)
      dispatch_backend(backend, [&](auto space) {
        measured.push_back(
            measure_on(space, session, comm, request, input, method, measured.empty()));
      });
  return measured;
}

namespace {

/// Median over the repeats, for the maximum and the mean over ranks.
nlohmann::json seconds_of(const Communicator& comm, const std::vector<DistributedLinkCost>& costs,
                          double DistributedLinkCost::*part) {
  app::Samples largest, mean;
  for (const DistributedLinkCost& cost : costs) {
    largest.seconds.push_back(comm.allreduce(cost.*part, Reduction::max));
    mean.seconds.push_back(comm.allreduce(cost.*part, Reduction::sum) / comm.size());
  }
  return {{"max", largest.median()}, {"mean", mean.median()}};
}

/// Reports how particles, ghosts and messages are distributed over ranks in the first linking.
/// Collective.
void report_ranks(app::Session& session, const Communicator& comm, Count linked,
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
      fmt::format("{} ranks with {} particles and {} ghosts; {:.1f} bytes sent per particle, "
                  "groups merged in {} rounds",
                  comm.size(), range(own), range(ghosts), sum, cost.merge_rounds));
}

}  // namespace

void report_input(app::Session& session, const LinkedInput& input) {
  auto& results = session.report().results();
  results["linking_length"] = input.links.length;
  if (input.has_velocity()) results["velocity_link"] = input.links.velocity;
  results["wrapped_particles"] = input.wrapped;
  session.print(fmt::format(
      "linking length {:.6g}{}{}", input.links.length,
      input.has_velocity() ? fmt::format(", velocity link {:.6g}", input.links.velocity) : "",
      input.particles.box.fully_periodic() ? ", periodic" : ""));
  if (input.wrapped > 0)
    session.print(
        fmt::format("{} particles were outside the periodic box: wrapped", input.wrapped));
}

void report_linkings(app::Session& session, const Communicator& comm, const Request& request,
                     const LinkedInput& input, const std::vector<MeasuredLinking>& measured) {
  const bool alone = comm.size() == 1;
  if (!alone) {
    session.report().set_device_messages(comm.device_path(), comm.gpu_aware_reason());
    report_ranks(session, comm, input.total_linked, measured.front().costs);
  }
  using Row = std::vector<std::string>;
  app::Table table(
      alone ? Row{"method", "backend", "seconds", "tree", "link", "particles/s", "B/particle"}
            : Row{"method", "backend", "ranks", "seconds", "link", "particles/s"});
  for (const MeasuredLinking& m : measured) {
    const double rate = static_cast<double>(input.total_linked) / m.total.median();
    const bool first = &m == &measured.front();
    const std::string seconds = app::format_seconds(m.total.median());
    const std::string link = app::format_seconds(m.link.median());
    // The memory peak covers all runs so far and only Kokkos allocations.
    const bool knows_bytes = alone && first && m.method != "emst-delaunay";
    const double bytes =
        static_cast<double>(m.bytes) / static_cast<double>(std::max<Count>(1, input.total_linked));
    if (alone) {
      table.add_row({m.method, m.backend, seconds,
                     m.build.seconds.empty() ? "-" : app::format_seconds(m.build.median()), link,
                     app::format_rate(rate), knows_bytes ? fmt::format("{:.1f}", bytes) : "-"});
    } else {
      table.add_row({m.method, m.backend, std::to_string(comm.size()), seconds, link,
                     app::format_rate(rate)});
    }
    if (first) session.report().results()["seconds"] = m.total.median();
    if (knows_bytes) session.report().results()["bytes_per_particle"] = bytes;
    const std::string suffix = measured.size() > 1 ? "_" + m.name() : "";
    session.report().add_figure_of_merit("particles_per_second" + suffix, rate, "1/s");
    if (alone && m.method == "emst-delaunay" && request.in_phase_space())
      session.print(
          "emst-delaunay searches for friends in phase space among Delaunay neighbours only: its "
          "groups may be too small");
  }
  app::print_speeds(session, table, request.backends.size());
}

Labels<Kokkos::HostSpace> narrow_labels(const GlobalLabels<Kokkos::HostSpace>& labels) {
  constexpr LocalIndex none = ~LocalIndex{0};
  const Labels<Kokkos::HostSpace> narrow(
      Kokkos::view_alloc("copse::fof::narrow_labels", Kokkos::WithoutInitializing),
      labels.extent(0));
  for (Count i = 0; i < labels.extent(0); ++i)
    narrow(i) = labels(i) < none ? static_cast<LocalIndex>(labels(i)) : none;
  return narrow;
}

}  // namespace copse::fof
