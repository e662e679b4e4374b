#include "weights.hpp"

#include <copse/app/command_line.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/philox.hpp>
#include <copse/particles/portable_math.hpp>

#include <fmt/format.h>

namespace copse {
namespace {

constexpr double largest_weight = 65536.0;

template <class MemorySpace>
struct DrawWeights {
  RealWeights<MemorySpace> weights;
  std::uint64_t seed;
  Count first;
  KOKKOS_FUNCTION void operator()(Count i) const {
    const double u = RandomStream(seed, RandomPurpose::weight, first + i).next_pair()[0];
    const double root = 1.0 / portable::cbrt(u);
    const double w = root * root;
    weights(i) = static_cast<Real>(w < largest_weight ? w : largest_weight);
  }
};

template <class MemorySpace>
struct RaiseWeights {
  RealWeights<MemorySpace> weights;
  double exponent;
  KOKKOS_FUNCTION void operator()(Count i) const {
    const Real w = weights(i);
    // What is no weight stays so and is refused later; 0 has no logarithm.
    if (w > Real{0} && Kokkos::isfinite(w))
      weights(i) = static_cast<Real>(portable::pow(static_cast<double>(w), exponent));
    else if (w == Real{0} && exponent == 0.0)
      weights(i) = Real{1};
  }
};

}  // namespace

void add_weight_options(CLI::App& cli, WeightRequest& request) {
  app::add_choice_option(cli, "--weights", request.kind, {"none", "column", "heavy-tailed"},
                         "Weights of the particles, of which every leaf gets its share");
  cli.add_option("--weight-exponent", request.exponent,
                 "Power the weights are raised to: 0 balances particles, 1 their work")
      ->capture_default_str();
}

void validate_weights(const WeightRequest& request) {
  if (!(request.exponent >= 0.0 && request.exponent <= 1.0))
    throw InputError(fmt::format("--weight-exponent {} is not between 0 and 1", request.exponent));
  if (request.exponent != 1.0 && !request.wanted())
    throw InputError("--weight-exponent makes sense only with --weights");
}

template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> make_weights(
    const ExecutionSpace& space, const Communicator& comm, const WeightRequest& request,
    const Particles<typename ExecutionSpace::memory_space>& particles, std::uint64_t seed,
    Count first, Count total) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const Count n = particles.size();
  RealWeights<MemorySpace> weights(
      Kokkos::view_alloc(space, "copse::orb::weights", Kokkos::WithoutInitializing), n);
  if (request.kind == "heavy-tailed") {
    Kokkos::parallel_for("copse::orb::draw_weights", Range(space, 0, n),
                         DrawWeights<MemorySpace>{weights, seed, first});
  } else {
    const int missing = particles.weight.extent(0) != n ? 1 : 0;
    if (comm.allreduce(missing, Reduction::max) != 0)
      throw InputError("--weights column: the input has no weight column");
    Kokkos::deep_copy(space, weights, particles.weight);
  }
  if (request.exponent != 1.0)
    Kokkos::parallel_for("copse::orb::raise_weights", Range(space, 0, n),
                         RaiseWeights<MemorySpace>{weights, request.exponent});
  WeightRange range = weight_range(space, weights);
  range.smallest = comm.allreduce(range.smallest, Reduction::min);
  range.largest = comm.allreduce(range.largest, Reduction::max);
  range.fractions = comm.allreduce(range.fractions, Reduction::sum);
  range.invalid = comm.allreduce(range.invalid, Reduction::sum);
  return integer_weights(space, weights, range, total);
}

#define COPSE_INSTANTIATE(Space)                                    \
  template IntegerWeights<Space::memory_space> make_weights<Space>( \
      const Space&, const Communicator&, const WeightRequest&,      \
      const Particles<Space::memory_space>&, std::uint64_t, Count, Count);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
