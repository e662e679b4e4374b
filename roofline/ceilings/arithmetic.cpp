#include "ceiling.hpp"
#include "workers.hpp"
#include <copse/backend/lane_vector.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// This file is compiled without vectorisation, so that scalar chains stay scalar, and with
// multiplications and additions fused.

namespace copse::roofline {
namespace {

constexpr int vector_bytes = 64;

/// One step of a chain: a fused multiply-add of floating-point numbers, or two dependent additions
/// of integers (Fibonacci numbers, which no compiler can shorten). Chains start from different
/// numbers, or a compiler would merge them.
template <class Value>
struct MultiplyAdd {
  Value x;
  KOKKOS_FORCEINLINE_FUNCTION void start(int chain) { x = Value(chain); }
  KOKKOS_FORCEINLINE_FUNCTION void step(Value one) { x = x * one + one; }
};
template <class Value>
struct AddTwice {
  Value x, y;
  KOKKOS_FORCEINLINE_FUNCTION void start(int chain) {
    x = Value(chain);
    y = Value(1);
  }
  KOKKOS_FORCEINLINE_FUNCTION void step(Value) {
    x = x + y;
    y = y + x;
  }
};
constexpr double operations_per_step = 2;

template <template <class> class Chain, class Value, int Chains>
struct Steps {
  double* ends;  ///< [threads] sum of the final values of the chains
  Count threads;
  double one;  ///< 1, unknown to the compiler
  int steps;

  KOKKOS_FUNCTION void operator()(Count thread) const {
    run(thread, std::make_integer_sequence<int, Chains>{});
  }

  template <int... I>
  KOKKOS_FORCEINLINE_FUNCTION void run(Count thread, std::integer_sequence<int, I...>) const {
    Chain<Value> chain[Chains];
    (chain[I].start(I), ...);
    const Value factor(one);
    for (int s = 0; s < steps; ++s) (chain[I].step(factor), ...);
    double sum = 0.0;
    ((sum += last_lane(chain[I].x)), ...);
    ends[thread] = sum;
  }

  template <class T, int W>
  KOKKOS_FORCEINLINE_FUNCTION static double last_lane(const LaneVector<T, W>& value) {
    return static_cast<double>(value[W - 1]);
  }
  template <class T>
  requires std::is_arithmetic_v<T> KOKKOS_FORCEINLINE_FUNCTION static double last_lane(T value) {
    return static_cast<double>(value);
  }
};

/// The value of x of a chain after so many steps.
double end_of(bool integers, int chain, int steps) {
  if (!integers) return chain + steps;
  auto x = static_cast<std::uint32_t>(chain);
  std::uint32_t y = 1;
  for (int s = 0; s < steps; ++s) {
    x += y;
    y += x;
  }
  return x;
}

/// Few enough that integers stay exact in float.
constexpr int steps_per_run = 1 << 15;

template <template <class> class Chain, class Value, int Chains, class ExecutionSpace>
double rate(const ExecutionSpace& space, bool integers, int lanes, const Effort& effort) {
  const auto most = static_cast<Count>(space.concurrency());
  const int steps = runs_on_host<ExecutionSpace> ? steps_per_run : steps_per_run / 16;
  const Kokkos::View<double*, typename ExecutionSpace::memory_space> ends("copse::ceilings::ends",
                                                                          most);
  const Steps<Chain, Value, Chains> kernel{ends.data(), most, 1.0, steps};
  const auto run = [&](int repeats) {
    for (int r = 0; r < repeats; ++r)
      Kokkos::parallel_for("copse::ceilings::arithmetic",
                           CountRange<ExecutionSpace>(space, 0, most), kernel);
  };
  const int repeats = enough_repeats(space, effort, run);
  const double seconds = best_seconds(space, effort.runs, repeats, run);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ends);
  double expected = 0.0;
  for (int chain = 0; chain < Chains; ++chain) expected += end_of(integers, chain, steps);
  for (Count t = 0; t < most; ++t)
    require_result<ExecutionSpace>(found(t) == expected, "arithmetic");
  return operations_per_step * lanes * Chains * steps * static_cast<double>(repeats) *
         static_cast<double>(most) / seconds;
}

template <template <class> class Chain, class Value, class ExecutionSpace>
void sweep_chains(const ExecutionSpace& space, const char* type, const char* shape, int lanes,
                  const Effort& effort, std::vector<ArithmeticRate>& rates) {
  constexpr bool integers = std::is_same_v<Chain<Value>, AddTwice<Value>>;
  [&]<int... Chains>(std::integer_sequence<int, Chains...>) {
    (rates.push_back(
         {type, shape, Chains, rate<Chain, Value, Chains>(space, integers, lanes, effort)}),
     ...);
  }
  (std::integer_sequence<int, 1, 2, 4, 8>{});
}

template <template <class> class Chain, class T, class ExecutionSpace>
void sweep_shapes(const ExecutionSpace& space, const char* type, const Effort& effort,
                  std::vector<ArithmeticRate>& rates) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    constexpr int lanes = vector_bytes / sizeof(T);
    sweep_chains<Chain, T>(space, type, "scalar", 1, effort, rates);
    sweep_chains<Chain, LaneVector<T, lanes>>(space, type, "vector", lanes, effort, rates);
  } else {
    sweep_chains<Chain, T>(space, type, "thread", 1, effort, rates);
  }
}

}  // namespace

template <class ExecutionSpace>
std::vector<ArithmeticRate> measure_arithmetic(const ExecutionSpace& space, const Effort& effort) {
  std::vector<ArithmeticRate> rates;
  sweep_shapes<MultiplyAdd, float>(space, "float", effort, rates);
  sweep_shapes<MultiplyAdd, double>(space, "double", effort, rates);
  sweep_shapes<AddTwice, std::uint32_t>(space, "integer", effort, rates);
  return rates;
}

#define COPSE_INSTANTIATE(Space) \
  template std::vector<ArithmeticRate> measure_arithmetic<Space>(const Space&, const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
