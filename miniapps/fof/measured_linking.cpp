#include "measured_linking.hpp"

#include "methods.hpp"
#include "pick_rows.hpp"
#include "problem_in.hpp"
#include "species/selection.hpp"
#include "wrap.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

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
  if (!first || comm.size() == 1) return measured;
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
