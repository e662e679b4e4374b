#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/integer_weights.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace copse {
namespace {

template <class MemorySpace>
struct FindRange {
  using value_type = WeightRange;
  RealWeights<MemorySpace> weights;

  KOKKOS_FUNCTION void init(WeightRange& range) const {
    range = {Kokkos::Experimental::finite_max_v<Real>, Real{0}, 0, 0};
  }
  KOKKOS_FUNCTION void join(WeightRange& to, const WeightRange& from) const {
    if (from.smallest < to.smallest) to.smallest = from.smallest;
    if (from.largest > to.largest) to.largest = from.largest;
    to.fractions += from.fractions;
    to.invalid += from.invalid;
  }
  KOKKOS_FUNCTION void operator()(Count i, WeightRange& range) const {
    const Real w = weights(i);
    if (!(w >= Real{0}) || !Kokkos::isfinite(w)) {
      ++range.invalid;
      return;
    }
    if (w < range.smallest) range.smallest = w;
    if (w > range.largest) range.largest = w;
    range.fractions += Kokkos::floor(w) != w;
  }
};

}  // namespace

template <class ExecutionSpace>
WeightRange weight_range(const ExecutionSpace& space,
                         const RealWeights<typename ExecutionSpace::memory_space>& weights) {
  WeightRange range;
  Kokkos::parallel_reduce("copse::weights::range",
                          CountRange<ExecutionSpace>(space, 0, weights.extent(0)),
                          FindRange<typename ExecutionSpace::memory_space>{weights}, range);
  return range;
}

template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> integer_weights(
    const ExecutionSpace& space, const RealWeights<typename ExecutionSpace::memory_space>& weights,
    const WeightRange& range, Count particles) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (range.invalid > 0)
    throw InputError(std::to_string(range.invalid) +
                     " particle weights are negative or not finite");
  if (particles > 0 && !(range.largest > Real{0}))
    throw InputError("no particle has a weight above 0");
  const double most = static_cast<double>((std::uint64_t{1} << weight_bits(particles)) - 1);
  const auto largest = static_cast<double>(range.largest);
  const bool keep = range.fractions == 0 && range.smallest >= Real{1} && largest <= most;
  // Integer units per unit of weight. The limit keeps the quotient finite for tiny weights.
  const double units = keep ? 1.0 : std::min(most / largest, std::numeric_limits<double>::max());
  IntegerWeights<MemorySpace> integers(
      Kokkos::view_alloc(space, "copse::weights::integers", Kokkos::WithoutInitializing),
      weights.extent(0));
  Kokkos::parallel_for(
      "copse::weights::round", CountRange<ExecutionSpace>(space, 0, weights.extent(0)),
      KOKKOS_LAMBDA(const Count i) {
        // One product, then floor: a compiler has nothing to contract.
        const double w = Kokkos::floor(static_cast<double>(weights(i)) * units);
        integers(i) = w < 1.0 ? 1u : static_cast<std::uint32_t>(w);
      });
  space.fence("copse::weights::round");
  return integers;
}

#define COPSE_INSTANTIATE(Space)                                                                   \
  template WeightRange weight_range<Space>(const Space&, const RealWeights<Space::memory_space>&); \
  template IntegerWeights<Space::memory_space> integer_weights<Space>(                             \
      const Space&, const RealWeights<Space::memory_space>&, const WeightRange&, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
