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

/// Leaves the species to link in `particles`, and without one forgets a species that all have.
/// Collective. \return how many are linked, over all ranks
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
  session.together([&] {  // a rank may have no particles to lack velocities
    if (request.in_phase_space() && particles.velocity.extent(0) != particles.size())
      throw InputError("--velocity-link needs velocities, which the input does not have");
  });
  if (request.periodic && !request.period && session.options().input && !session.options().box &&
      !particles.box.fully_periodic())
    throw InputError(
        "--periodic needs a length, because the box of the input may be no more than the smallest "
        "around its particles; --box can give it, too");
  particles.box = linking_box(request, particles.box);
  input.wrapped = wrap_positions(host, particles.position, particles.box);
  MPI_Allreduce(MPI_IN_PLACE, &input.wrapped, 1, MPI_UINT64_T, MPI_SUM, session.comm());
  input.total_linked = choose_species(session, request, input);
  input.links = linking_lengths(request, particles.box, input.total_linked);
  input.friendship = make_friendship(input.links, particles.box);
  return input;
}

namespace {

template <class ExecutionSpace>
MeasuredLinking measure_on(const ExecutionSpace& space, app::Session& session,
                           const Request& request, const LinkedInput& input,
                           const std::string& method) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::string backend(backend_name<ExecutionSpace>());
  const auto problem = problem_in<MemorySpace>(input.problem());
  const auto memory = [&] {
    return runs_on_host<ExecutionSpace> ? session.memory().host() : session.memory().device();
  };
  const Count bytes_before = memory().current_bytes;
  const Labels<MemorySpace> labels(
      Kokkos::view_alloc("copse::fof::labels", Kokkos::WithoutInitializing), problem.size());
  MeasuredLinking measured;
  measured.backend = backend;
  measured.method = method;
  with_linker(method, space, [&](auto linker) {
    const std::string label = "copse::fof::run_" + measured.name();
    measured.total =
        session.measure(label, [&](int) { linker.link(problem, request.link, labels); });
    if (method_named(method).has_tree) measured.build = session.last_samples("copse::fof::build");
    measured.link = session.last_samples("copse::fof::link");
  });
  measured.bytes = memory().peak_bytes - bytes_before;
  measured.labels = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, labels);
  return measured;
}

}  // namespace

MeasuredLinking measure_linking(app::Session& session, const Request& request,
                                const LinkedInput& input, const std::string& backend,
                                const std::string& method) {
  MeasuredLinking measured;
  dispatch_backend(
      backend, [&](auto space) { measured = measure_on(space, session, request, input, method); });
  return measured;
}

}  // namespace copse::fof
