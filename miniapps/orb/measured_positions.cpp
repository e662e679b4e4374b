#include "fused/engine.hpp"
#include "measured_build.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/orb_builder.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace copse {

namespace {

template <class ExecutionSpace>
MeasuredBuild measure_positions_on(const ExecutionSpace& space, app::Session& session,
                                   const BuildRequest& request,
                                   Particles<Kokkos::HostSpace>& original) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const std::string backend(backend_name<ExecutionSpace>());
  MeasuredBuild result;
  Points<3, MemorySpace> points;
  Points<3, MemorySpace> spare;
  OrbTree<MemorySpace> tree;
  OrbBuilder<ExecutionSpace> builder(space,
                                     orb::engine_for<ExecutionSpace>(request.variant.placement));
  session.measure("copse::orb::run_" + backend, [&](int) {
    points = {};  // the room is wanted for the new ones
    {
      const Particles<MemorySpace> particles = session.load_particles(space);
      points = particles.position;
      original.box = particles.box;
    }
    if (!result.input_checksum) result.input_checksum = app::coordinate_checksum(space, points);
    if (spare.extent(0) != points.extent(0))
      spare = Points<3, MemorySpace>(
          Kokkos::view_alloc("copse::orb::spare_points", Kokkos::WithoutInitializing),
          points.extent(0));
    {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, spare, points);
    }
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    tree = builder.build(points, spare, orb_options(request, original.box));
  });
  fetch_build(session, backend, points, typename OrbBuilder<ExecutionSpace>::Permutation(), tree,
              result);
  set_build_work(session, backend, request, points.extent(0));
  return result;
}

}  // namespace

MeasuredBuild measure_positions_build(app::Session& session, const std::string& backend,
                                      const BuildRequest& request,
                                      Particles<Kokkos::HostSpace>& original) {
  MeasuredBuild result;
  dispatch_backend(backend, [&](auto space) {
    result = measure_positions_on(space, session, request, original);
  });
  return result;
}

}  // namespace copse
