#include "measured_build.hpp"

#include "fused/engine.hpp"
#include "model/report.hpp"
#include <copse/backend/backends.hpp>
#include <copse/tree/orb_builder.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <vector>

namespace copse {

namespace {

template <class ExecutionSpace>
MeasuredBuild measure_on(const ExecutionSpace& space, app::Session& session,
                         const BuildRequest& request, Particles<Kokkos::HostSpace>& original) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Builder = OrbBuilder<ExecutionSpace>;
  const std::string backend(backend_name<ExecutionSpace>());
  const Particles<MemorySpace> particles = session.load_particles(space);
  const Count n = particles.size();
  original = copy_particles<Kokkos::HostSpace>(particles);

  Points<3, MemorySpace> points(
      Kokkos::view_alloc("copse::orb::points", Kokkos::WithoutInitializing), n);
  typename Builder::Permutation permutation;
  OrbTree<MemorySpace> tree;
  Builder builder(space, orb::engine_for<ExecutionSpace>(request.variant.placement));
  session.measure("copse::orb::run_" + backend, [&](int) {
    {
      // The builder reorders in place, so every run starts with a fresh copy of the positions, and
      // that copy is also the yardstick.
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, points, particles.position);
    }
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    tree = builder.build(points, permutation, orb_options(request, particles.box));
  });

  MeasuredBuild result;
  fetch_build(session, backend, points, permutation, tree, result);
  set_build_work(session, backend, request, n);
  return result;
}

}  // namespace

orb_model::Variant modelled_variant(const std::string& backend, const BuildRequest& request) {
  if (request.weights.wanted()) return orb_model::modelled_variant(backend, "device", "histogram");
  auto variant = orb_model::modelled_variant(
      backend, placement_names()[static_cast<std::size_t>(request.variant.placement)],
      cut_names()[static_cast<std::size_t>(request.variant.cut)]);
  variant.positions_only = request.positions_only;
  return variant;
}

void set_build_work(app::Session& session, const std::string& backend, const BuildRequest& request,
                    Count n) {
  const auto traffic = orb_model::traffic(modelled_variant(backend, request), n, request.leaves, 0);
  session.report().set_work("copse::orb::build_" + backend,
                            traffic.in_memory() * static_cast<double>(n), 0.0);
  session.report().set_work("copse::orb::copy_" + backend,
                            2.0 * orb_model::bytes::position * static_cast<double>(n), 0.0);
}

MeasuredBuild measure_build(app::Session& session, const std::string& backend,
                            const BuildRequest& request, Particles<Kokkos::HostSpace>& original) {
  if (request.weights.wanted()) return measure_weighted_build(session, backend, request, original);
  if (request.positions_only) return measure_positions_build(session, backend, request, original);
  if (!request.variant.uses_builder()) return measure_variant(session, backend, request, original);
  MeasuredBuild result;
  dispatch_backend(backend,
                   [&](auto space) { result = measure_on(space, session, request, original); });
  return result;
}

}  // namespace copse
