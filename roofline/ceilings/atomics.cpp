#include "ceiling.hpp"
#include "workers.hpp"

#include <cstdint>

namespace copse::roofline {
namespace {

constexpr int additions_per_thread = 256;

/// The counter of a thread's k-th addition: adjacent threads use different counters if there are
/// enough.
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t counter_of(Count thread, int k, Count counters) {
  return (static_cast<std::uint32_t>(thread) * 2654435761u + static_cast<std::uint32_t>(k) * 97u) >>
             7 &
         (static_cast<std::uint32_t>(counters) - 1);
}

/// One histogram per team in scratch memory; the counters of a team sum to its number of additions.
template <class ExecutionSpace>
struct AddInScratch {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Counters = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                                Kokkos::MemoryUnmanaged>;
  std::uint64_t* totals;  ///< [teams]
  Count counters;         ///< a power of two
  int rounds;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Counters mine(team.team_scratch(0), counters);
    const auto size = static_cast<std::uint32_t>(team.team_size());
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t i = rank; i < counters; i += size) mine(i) = 0;
    team.team_barrier();
    for (int r = 0; r < rounds; ++r) {
      for (int k = 0; k < additions_per_thread; ++k)
        Kokkos::atomic_add(&mine(counter_of(rank, k, counters)), 1u);
    }
    team.team_barrier();
    std::uint64_t sum = 0;
    for (std::uint32_t i = rank; i < counters; i += size) sum += mine(i);
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    Kokkos::single(Kokkos::PerTeam(team), [&] { totals[team.league_rank()] = sum; });
  }
};

struct AddInMemory {
  std::uint32_t* counter;
  Count counters;
  KOKKOS_FUNCTION void operator()(Count thread) const {
    for (int k = 0; k < additions_per_thread; ++k)
      Kokkos::atomic_add(&counter[counter_of(thread, k, counters)], 1u);
  }
};

template <class ExecutionSpace>
double rate_in_scratch(const ExecutionSpace& space, Count counters, const Effort& effort) {
  using Kernel = AddInScratch<ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  constexpr int size = runs_on_host<ExecutionSpace> ? 1 : team_threads;
  constexpr int rounds = 8;
  const Count teams = workers(space);
  const Kokkos::View<std::uint64_t*, typename ExecutionSpace::memory_space> totals(
      "copse::ceilings::totals", teams);
  Policy policy(space, static_cast<int>(teams), size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Counters::shmem_size(counters)));
  const auto run = [&](int repeats) {
    for (int r = 0; r < repeats; ++r)
      Kokkos::parallel_for("copse::ceilings::scratch_atomics", policy,
                           Kernel{totals.data(), counters, rounds});
  };
  const int repeats = enough_repeats(space, effort, run);
  const double seconds = best_seconds(space, effort.runs, repeats, run);
  constexpr std::uint64_t of_team = std::uint64_t{additions_per_thread} * rounds * size;
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals);
  for (Count t = 0; t < teams; ++t)
    require_result<ExecutionSpace>(found(t) == of_team, "atomics in scratch memory");
  return static_cast<double>(of_team) * static_cast<double>(teams) * repeats / seconds;
}

template <class ExecutionSpace>
double rate_in_memory(const ExecutionSpace& space, Count counters, const Effort& effort) {
  const auto threads = static_cast<Count>(space.concurrency());
  const Kokkos::View<std::uint32_t*, typename ExecutionSpace::memory_space> counter(
      "copse::ceilings::counters", counters);
  const auto run = [&](int repeats) {
    for (int r = 0; r < repeats; ++r)
      Kokkos::parallel_for("copse::ceilings::global_atomics",
                           CountRange<ExecutionSpace>(space, 0, threads),
                           AddInMemory{counter.data(), counters});
  };
  const int repeats = enough_repeats(space, effort, run);
  const double seconds = best_seconds(space, effort.runs, repeats, run);
  Kokkos::deep_copy(counter, 0u);
  run(1);
  space.fence("copse::ceilings::global_atomics");
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, counter);
  Count sum = 0;
  for (Count i = 0; i < counters; ++i) sum += found(i);
  require_result<ExecutionSpace>(sum == threads * additions_per_thread, "atomics in memory");
  return static_cast<double>(sum) * repeats / seconds;
}

}  // namespace

template <class ExecutionSpace>
std::vector<AtomicRate> measure_atomics(const ExecutionSpace& space, const Effort& effort) {
  std::vector<AtomicRate> rates;
  for (const Count counters : {Count{1}, Count{32}, Count{1024}, Count{4096}})
    rates.push_back({"scratch", counters, rate_in_scratch(space, counters, effort)});
  for (const Count counters : {Count{1}, Count{1} << 10, Count{1} << 20})
    rates.push_back({"global", counters, rate_in_memory(space, counters, effort)});
  return rates;
}

#define COPSE_INSTANTIATE(Space) \
  template std::vector<AtomicRate> measure_atomics<Space>(const Space&, const Effort&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::roofline
