#include <copse/backend/backends.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/particles/wrap.hpp>

namespace copse {
namespace {

template <class MemorySpace>
struct WrapRow {
  Points<3, MemorySpace> position;
  Box<3> box;
  KOKKOS_FUNCTION void operator()(const Count row, Count& shifted) const {
    bool moved = false;
    for (int a = 0; a < 3; ++a) {
      if (!box.periodic[a]) continue;
      const Real x = position(row, a);
      if (x >= box.lower[a] && x <= box.upper[a]) continue;
      const Real length = box.extent(a);
      const Real turns = Kokkos::floor((x - box.lower[a]) / length);
      // Rounded once; the result may still be slightly outside.
      const Real inside = lane_fma(-turns, length, x);
      position(row, a) = lane_max(box.lower[a], lane_min(box.upper[a], inside));
      moved = true;
    }
    if (moved) ++shifted;
  }
};

}  // namespace

template <class ExecutionSpace>
Count wrap_positions(const ExecutionSpace& space,
                     const Points<3, typename ExecutionSpace::memory_space>& position,
                     const Box<3>& box) {
  Count shifted = 0;
  Kokkos::parallel_reduce(
      "copse::particles::wrap",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, position.extent(0)),
      WrapRow<typename ExecutionSpace::memory_space>{position, box}, shifted);
  return shifted;
}

#define COPSE_INSTANTIATE(Space) \
  template Count wrap_positions(const Space&, const Points<3, Space::memory_space>&, const Box<3>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
