#include "measured_build.hpp"
#include <copse/backend/backends.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <nlohmann/json.hpp>

namespace copse {

namespace {

/// Imbalance of the leaves in the weights as they are given, whatever they were raised to for cuts.
double work_imbalance(app::Session& session, const WeightRequest& request,
                      const Particles<Kokkos::HostSpace>& original, const MeasuredBuild& run) {
  const auto work =
      request.exponent == 1.0
          ? run.weight
          : make_weights(Kokkos::DefaultHostExecutionSpace{}, Communicator(session.comm()),
                         {request.kind, 1.0}, original, session.options().seed, session.first_row(),
                         session.total_particles());
  return weight_imbalance(run.tree, [&](Count row) { return work(run.permutation(row)); });
}

template <class ExecutionSpace>
MeasuredBuild measure_weighted_on(const ExecutionSpace& space, app::Session& session,
                                  const BuildRequest& request,
                                  Particles<Kokkos::HostSpace>& original) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::string backend(backend_name<ExecutionSpace>());
  const auto particles = session.load_particles(space, request.weights.columns());
  const Count n = particles.size();
  original = copy_particles<Kokkos::HostSpace>(particles);
  const Communicator comm(session.comm());
  const auto weights = make_weights(space, comm, request.weights, particles, session.options().seed,
                                    session.first_row(), session.total_particles());

  Points<3, MemorySpace> points(
      Kokkos::view_alloc("copse::orb::points", Kokkos::WithoutInitializing), n);
  WeightedOrbBuilder<ExecutionSpace> builder(space);
  typename WeightedOrbBuilder<ExecutionSpace>::Permutation permutation;
  OrbTree<MemorySpace> tree;
  session.measure("copse::orb::run_" + backend, [&](int) {
    {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, points, particles.position);
    }
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    tree = builder.build(points, permutation, weights, orb_options(request, particles.box));
  });

  MeasuredBuild result;
  fetch_build(session, backend, points, permutation, tree, result);
  session.report().results()["iterations_per_level"] = builder.rounds_per_level();
  result.weight = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, weights);
  return result;
}

}  // namespace

MeasuredBuild measure_weighted_build(app::Session& session, const std::string& backend,
                                     const BuildRequest& request,
                                     Particles<Kokkos::HostSpace>& original) {
  MeasuredBuild result;
  dispatch_backend(backend, [&](auto space) {
    result = measure_weighted_on(space, session, request, original);
  });
  // Now that the builder has given its memory back, so that this needs no more.
  session.report().results()["work_imbalance"] =
      work_imbalance(session, request.weights, original, result);
  return result;
}

}  // namespace copse
