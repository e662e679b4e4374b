#include "weights.hpp"

#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/philox.hpp>
#include <copse/particles/portable_math.hpp>

namespace copse::orb {
namespace {

constexpr double largest_weight = 65536.0;

}  // namespace

template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> make_weights(
    const ExecutionSpace& space, const Communicator& comm, const Weighting& weighting,
    const Particles<typename ExecutionSpace::memory_space>& particles, std::uint64_t seed,
    Count first, Count total) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = CountRange<ExecutionSpace>;
  const Count n = particles.size();
  RealWeights<MemorySpace> weights(
      Kokkos::view_alloc(space, "copse::orb::weights", Kokkos::WithoutInitializing), n);
  if (weighting.kind == "heavy-tailed") {
    Kokkos::parallel_for(
        "copse::orb::draw_weights", Range(space, 0, n), KOKKOS_LAMBDA(Count i) {
          const double u = RandomStream(seed, RandomPurpose::weight, first + i).next_pair()[0];
          const double root = 1.0 / portable::cbrt(u);
          const double w = root * root;
          weights(i) = static_cast<Real>(w < largest_weight ? w : largest_weight);
        });
  } else {
    const int missing = particles.weight.extent(0) != n ? 1 : 0;
    if (comm.allreduce(missing, Reduction::max) != 0)
      throw InputError("--weights column: the input has no weight column");
    Kokkos::deep_copy(space, weights, particles.weight);
  }
  const double exponent = weighting.exponent;
  if (exponent != 1.0)
    Kokkos::parallel_for(
        "copse::orb::raise_weights", Range(space, 0, n), KOKKOS_LAMBDA(Count i) {
          const Real w = weights(i);
          // Invalid weights stay as they are and are refused later; 0 has no logarithm.
          if (w > Real{0} && Kokkos::isfinite(w))
            weights(i) = static_cast<Real>(portable::pow(static_cast<double>(w), exponent));
          else if (w == Real{0} && exponent == 0.0)
            weights(i) = Real{1};
        });
  WeightRange range = weight_range(space, weights);
  range.smallest = comm.allreduce(range.smallest, Reduction::min);
  range.largest = comm.allreduce(range.largest, Reduction::max);
  range.fractions = comm.allreduce(range.fractions, Reduction::sum);
  range.invalid = comm.allreduce(range.invalid, Reduction::sum);
  return integer_weights(space, weights, range, total);
}

#define COPSE_INSTANTIATE(Space)                                                                  \
  template IntegerWeights<Space::memory_space> make_weights<Space>(                               \
      const Space&, const Communicator&, const Weighting&, const Particles<Space::memory_space>&, \
      std::uint64_t, Count, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::orb
