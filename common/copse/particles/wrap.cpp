#include <copse/backend/backends.hpp>
#include <copse/backend/lanes.hpp>
#include <copse/particles/wrap.hpp>

namespace copse {
namespace {

template <class MemorySpace, class T>
struct WrapRow {
  Kokkos::View<T* [3], Kokkos::LayoutLeft, MemorySpace> position;
  Box<3> box;
  KOKKOS_FUNCTION void operator()(const Count row, Count& shifted) const {
    bool moved = false;
    for (int a = 0; a < 3; ++a) {
      if (!box.periodic[a]) continue;
      const T x = position(row, a), lower = static_cast<T>(box.lower[a]),
              upper = static_cast<T>(box.upper[a]);
      if (x >= lower && x <= upper) continue;
      const T length = upper - lower;
      const T turns = Kokkos::floor((x - lower) / length);
      // Rounded once; the result may still be slightly outside.
      const T inside = lane_fma(-turns, length, x);
      position(row, a) = lane_max(lower, lane_min(upper, inside));
      moved = true;
    }
    if (moved) ++shifted;
  }
};

}  // namespace

template <class ExecutionSpace, class T>
Count wrap_positions(
    const ExecutionSpace& space,
    const Kokkos::View<T* [3], Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& position,
    const Box<3>& box) {
  Count shifted = 0;
  Kokkos::parallel_reduce(
      "copse::particles::wrap", CountRange<ExecutionSpace>(space, 0, position.extent(0)),
      WrapRow<typename ExecutionSpace::memory_space, T>{position, box}, shifted);
  return shifted;
}

#define COPSE_INSTANTIATE_FOR(Space, T)                                                   \
  template Count wrap_positions(                                                          \
      const Space&, const Kokkos::View<T* [3], Kokkos::LayoutLeft, Space::memory_space>&, \
      const Box<3>&);
#define COPSE_INSTANTIATE(Space)      \
  COPSE_INSTANTIATE_FOR(Space, float) \
  COPSE_INSTANTIATE_FOR(Space, double)
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE
#undef COPSE_INSTANTIATE_FOR

}  // namespace copse
