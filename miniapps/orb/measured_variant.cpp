#include "build_variant.hpp"
#include "measured_build.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace copse {

namespace {

/// Bytes a build moved, as far as its log tells: keys counted, and rows partitioned out of place.
double logged_bytes(const BuildLog& log, Count n, const OrbVariant& variant) {
  double keys = 0.0;
  for (const LevelLog& level : log.levels) keys += static_cast<double>(level.keys_counted);
  const double row = 2.0 * (3 * sizeof(Real) + sizeof(LocalIndex));
  const double partition_keys = variant.partition == PartitionMethod::scan ? 2.0 : 1.0;
  return sizeof(Real) * keys + static_cast<double>(log.levels.size()) * static_cast<double>(n) *
                                   (row + partition_keys * sizeof(Real));
}

/// Runs and times `build(rows, options, log)` on rows in the memory of `space`.
template <class Space, class Build>
MeasuredBuild measure_rows(app::Session& session, const Space& space, const std::string& backend,
                           const BuildRequest& request, Particles<Kokkos::HostSpace>& original,
                           const Build& build) {
  using MemorySpace = typename Space::memory_space;
  const Particles<MemorySpace> particles = session.load_particles(space);
  const Count n = particles.size();
  original = copy_particles<Kokkos::HostSpace>(particles);
  constexpr bool is_sent = !runs_on_host<Space>;
  Points<3, Kokkos::SharedHostPinnedSpace> sent;
  if (is_sent) {
    sent = Points<3, Kokkos::SharedHostPinnedSpace>(
        Kokkos::view_alloc("copse::orb::sent", Kokkos::WithoutInitializing), n);
    Kokkos::deep_copy(sent, original.position);
  }

  MeasuredBuild result;
  OrbRows<MemorySpace> rows;
  rows.points = Points<3, MemorySpace>(
      Kokkos::view_alloc("copse::orb::points", Kokkos::WithoutInitializing), n);
  OrbTree<MemorySpace> tree;
  session.measure("copse::orb::run_" + backend, [&](int) {
    if (is_sent) {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::send_" + backend);
      Kokkos::deep_copy(space, rows.points, sent);
    }
    {
      const Kokkos::Profiling::ScopedRegion region("copse::orb::copy_" + backend);
      Kokkos::deep_copy(space, rows.points, particles.position);
    }
    const Kokkos::Profiling::ScopedRegion region("copse::orb::build_" + backend);
    result.log = {};
    tree = build(rows, orb_options(request, particles.box), result.log);
  });
  const double bytes_of_positions = 3.0 * sizeof(Real) * static_cast<double>(n);
  if (is_sent) {
    result.bytes_to_device = n * 3 * sizeof(Real);
    session.report().set_work("copse::orb::send_" + backend, bytes_of_positions, 0.0);
  }
  session.report().set_work("copse::orb::copy_" + backend, 2.0 * bytes_of_positions, 0.0);
  if (request.variant.bisects() && request.variant.partition != PartitionMethod::hoare)
    session.report().set_work("copse::orb::build_" + backend,
                              logged_bytes(result.log, n, request.variant), 0.0);
  for (const LevelLog& level : result.log.levels) result.bytes_to_device += level.bytes_to_device;
  fetch_build(session, backend, rows.points, rows.permutation, tree, result);
  return result;
}

}  // namespace

MeasuredBuild measure_variant(app::Session& session, const std::string& backend,
                              const BuildRequest& request, Particles<Kokkos::HostSpace>& original) {
  const OrbVariant& variant = request.variant;
  MeasuredBuild result;
  const auto build_on = [&]<class Space>(const Space& space) {
    VariantBuilder<Space> builder(space);
    result = measure_rows(session, space, backend, request, original,
                          [&](auto& rows, const OrbOptions& options, BuildLog& log) {
                            return builder.build(rows, options, variant, log);
                          });
  };
  if (variant.placement == Placement::host) {
    build_on(Kokkos::DefaultHostExecutionSpace{});
    return result;
  }
  dispatch_backend(backend, [&]<class Space>(const Space& space) {
    if (variant.placement == Placement::device) return build_on(space);
    CountingBuilder<Space> builder(space);
    result = measure_rows(session, Kokkos::DefaultHostExecutionSpace{}, backend, request, original,
                          [&](auto& rows, const OrbOptions& options, BuildLog& log) {
                            return builder.build(rows, options, variant, log);
                          });
  });
  return result;
}

}  // namespace copse
