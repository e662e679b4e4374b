#include <copse/app/coordinate_checksum.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>

#include <Kokkos_Core.hpp>

namespace copse::app {
template <class ExecutionSpace>
std::uint64_t coordinate_checksum(const ExecutionSpace& space,
                                  const Points<3, typename ExecutionSpace::memory_space>& points) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce(
      "copse::app::coordinate_checksum", CountRange<ExecutionSpace>(space, 0, points.extent(0)),
      KOKKOS_LAMBDA(const Count i, std::uint64_t& partial) {
        std::uint64_t hash = 0x9e3779b97f4a7c15ull;
        for (int axis = 0; axis < 3; ++axis) {
          // Adding zero turns -0 into +0.
          const double x = static_cast<double>(points(i, axis)) + 0.0;
          hash = split_mix(hash ^ Kokkos::bit_cast<std::uint64_t>(x)) + 0x9e3779b97f4a7c15ull;
        }
        partial += hash;
      },
      sum);
  return sum;
}

#define COPSE_INSTANTIATE_CHECKSUM(ExecutionSpace)            \
  template std::uint64_t coordinate_checksum<ExecutionSpace>( \
      const ExecutionSpace&, const Points<3, ExecutionSpace::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_CHECKSUM)
#undef COPSE_INSTANTIATE_CHECKSUM

}  // namespace copse::app
