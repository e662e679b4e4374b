#include "random_catalogue.hpp"

#include <copse/backend/backends.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/uniform_points.hpp>

#include <Kokkos_Core.hpp>

namespace copse::traversal {

template <int Dim, class ExecutionSpace>
Box<Dim> region_of(const app::CommonOptions& options, const ExecutionSpace& space,
                   const Points<Dim, typename ExecutionSpace::memory_space>& data) {
  const Box<Dim> bounds = bounding_box(space, data);
  Box<Dim> region = bounds;
  if constexpr (Dim == 3) {
    if (options.box) region = *options.box;
  }
  if (!region.contains(bounds.lower) || !region.contains(bounds.upper))
    throw InputError(
        "--box does not contain all points, so random points cannot be drawn from the same volume");
  if (!(region.volume() > 0))
    throw InputError(
        "the bounding box of the points has no volume, so random points cannot be drawn from it");
  return region;
}

template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> random_catalogue(const ExecutionSpace& space,
                                                                    std::uint64_t seed, Count n,
                                                                    const Box<Dim>& box) {
  const auto points = uniform_points<Dim>(space, ~seed, 0, n);
  Kokkos::parallel_for(
      "copse::traversal::random_catalogue", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        for (int a = 0; a < Dim; ++a)
          points(i, a) =
              Kokkos::min(Kokkos::fma(points(i, a), box.extent(a), box.lower[a]), box.upper[a]);
      });
  space.fence("copse::traversal::random_catalogue");
  return points;
}

#define COPSE_INSTANTIATE(Space, Dim)                                                          \
  template Box<Dim> region_of<Dim>(const app::CommonOptions&, const Space&,                    \
                                   const Points<Dim, Space::memory_space>&);                   \
  template Points<Dim, Space::memory_space> random_catalogue<Dim>(const Space&, std::uint64_t, \
                                                                  Count, const Box<Dim>&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::traversal
