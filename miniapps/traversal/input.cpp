#include "input.hpp"

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/random_order.hpp>
#include <copse/backend/error.hpp>
#include <copse/io/point_reader.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/point_models.hpp>
#include <copse/particles/subsample.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

namespace copse::traversal {
namespace {

/// Sum of the hashes of all points' coordinates, independent of their order.
template <class ExecutionSpace, class PointSet>
std::uint64_t checksum(const ExecutionSpace& space, const PointSet& points) {
  std::uint64_t checksum = 0;
  Kokkos::parallel_reduce(
      "copse::traversal::checksum", Kokkos::RangePolicy<ExecutionSpace>(space, 0, points.extent(0)),
      KOKKOS_LAMBDA(const Count i, std::uint64_t& sum) {
        std::uint64_t hash = 0x9e3779b97f4a7c15ull;
        for (std::size_t a = 0; a < points.extent(1); ++a) {
          hash ^= Kokkos::bit_cast<OrderedKey<Real>>(points(i, a));
          hash *= 0xff51afd7ed558ccdull;
          hash ^= hash >> 29;
        }
        sum += hash;
      },
      checksum);
  return checksum;
}

}  // namespace

template <int Dim, class ExecutionSpace>
PointInput<Dim, typename ExecutionSpace::memory_space> load_input(app::Session& session,
                                                                  const ExecutionSpace& space,
                                                                  const Request& request) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using PointSet = Points<Dim, MemorySpace>;
  const Kokkos::Profiling::ScopedRegion region("copse::traversal::load");
  const auto& options = session.options();
  PointSet points;
  std::string source;
  if (options.input) {
    io::PointFileOptions reading;
    reading.columns = request.columns;
    if (request.project) reading.projection.emplace();
    reading.progress = session.progress("reading");
    const auto on_host = io::read_points<Dim>(*options.input, reading);
    points = PointSet(Kokkos::view_alloc("copse::traversal::points", Kokkos::WithoutInitializing),
                      on_host.extent(0));
    Kokkos::deep_copy(points, on_host);
    source = options.input->string();
  } else {
    points = generate_points<Dim>(space, {options.generate, options.particles, options.seed}, 0,
                                  options.particles);
    source = fmt::format("{} seed {} {}-D", options.generate, options.seed, Dim);
  }
  if (options.subsample) {
    if (*options.subsample > points.extent(0))
      throw InputError(fmt::format("--subsample {} is more than the {} particles",
                                   *options.subsample, points.extent(0)));
    points = subsample_points<Dim>(space, points, *options.subsample, options.seed);
    source += fmt::format(" subsample {}", *options.subsample);
  }
  const Box<Dim> box = bounding_box(space, points);
  Box<3> reported;
  for (int a = 0; a < 3 && a < Dim; ++a) {
    reported.lower[a] = box.lower[a];
    reported.upper[a] = box.upper[a];
  }
  session.report().set_input({points.extent(0), reported, source, checksum(space, points)});

  if (request.queries != "split") return {points, points, true};
  if (points.extent(0) < 2) throw InputError("--queries split needs at least two points to divide");
  Workspace<MemorySpace> workspace;
  const auto halves = split_points<Dim>(space, points, options.seed, workspace);
  return {halves.tree, halves.queries, false};
}

#define COPSE_INSTANTIATE(ExecutionSpace, Dim)                            \
  template PointInput<Dim, ExecutionSpace::memory_space> load_input<Dim>( \
      app::Session&, const ExecutionSpace&, const Request&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::traversal
