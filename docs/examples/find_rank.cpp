#include "find_rank.hpp"

#include "rank_tiles.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/scratch_atomic.hpp>

#include <Kokkos_Sort.hpp>

#include <algorithm>
#include <utility>

namespace copse::book {
namespace {

/// A copy of the keys that may be reordered.
template <class ExecutionSpace>
auto copy_of(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys,
             RankWorkspace<ExecutionSpace>& workspace) {
  auto copy = workspace.template get<Key>("find_rank::copy", keys.extent(0));
  Kokkos::deep_copy(space, copy, keys);
  space.fence("copse::book::copy_of");
  return copy;
}

struct Digit {
  int shift, bits;
};
constexpr Digit digits[] = {{21, 11}, {10, 11}, {0, 10}};
constexpr int most_values = 1 << 11;

// [begin digits]
/// Adds 1 to a counter of a team.
KOKKOS_FUNCTION void count_one(std::uint32_t* counter) {
  KOKKOS_IF_ON_DEVICE((scratch_add(counter, 1U);))
  KOKKOS_IF_ON_HOST((++*counter;))  // a host team is one thread
}

/// total(v) += the number of keys whose digit is v and whose higher digits are `prefix`. A team
/// counts many tiles in its scratch memory before it adds its counts to the total.
template <class ExecutionSpace>
struct CountDigits {
  using Share = ShareOfTile<ExecutionSpace>;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Counters = Kokkos::View<std::uint32_t*, typename ExecutionSpace::scratch_memory_space,
                                Kokkos::MemoryUnmanaged>;
  RankKeys<ExecutionSpace> keys;
  Count tiles;
  Key prefix;
  Digit digit;
  Totals<typename ExecutionSpace::memory_space> total;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Counters counter(team.team_scratch(0), most_values);
    for (int v = team.team_rank(); v < most_values; v += Share::threads) counter(v) = 0;
    team.team_barrier();
    for (Count tile = team.league_rank(); tile < tiles; tile += team.league_size()) {
      const Share mine(keys, tile, team.team_rank());
      for (int k = 0; k < Share::size; ++k) {
        const Key upper = mine.key[k] >> digit.shift;
        if (upper >> digit.bits == prefix) count_one(&counter(upper & ((1U << digit.bits) - 1)));
      }
    }
    team.team_barrier();
    for (int v = team.team_rank(); v < most_values; v += Share::threads)
      if (counter(v) > 0) Kokkos::atomic_add(&total(v), Count{counter(v)});
  }
};
// [end digits]

}  // namespace

template <class ExecutionSpace>
Key find_rank_by_sorting(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                         RankWorkspace<ExecutionSpace>& workspace) {
  // [begin sorting]
  const auto sorted = copy_of(space, keys, workspace);
  if constexpr (runs_on_host<ExecutionSpace>) {
    std::sort(sorted.data(), sorted.data() + sorted.extent(0));
  } else {
    Kokkos::sort(space, sorted);
  }
  return on_host(Kokkos::subview(sorted, std::pair(rank, rank + 1)))(0);
  // [end sorting]
}

Key find_rank_by_partitions(RankKeys<Kokkos::DefaultHostExecutionSpace> keys, Count rank,
                            RankWorkspace<Kokkos::DefaultHostExecutionSpace>& workspace) {
  // [begin partitions]
  const auto copy = copy_of(Kokkos::DefaultHostExecutionSpace{}, keys, workspace);
  std::nth_element(copy.data(), copy.data() + rank, copy.data() + copy.extent(0));
  return copy(rank);
  // [end partitions]
}

template <class ExecutionSpace>
Key find_rank_by_digits(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                        RankWorkspace<ExecutionSpace>& workspace) {
  using Kernel = CountDigits<ExecutionSpace>;
  // [begin by_digits]
  const auto total = workspace.template get<Count>("find_rank::digits", most_values);
  const Count tiles = tiles_of<ExecutionSpace>(keys);
  const auto threads = static_cast<Count>(space.concurrency());
  const Count teams = std::min<Count>(tiles, std::max<Count>(threads / Kernel::Share::threads, 1));
  Kokkos::TeamPolicy<ExecutionSpace> policy(space, static_cast<int>(teams), Kernel::Share::threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::Counters::shmem_size(most_values)));
  Key prefix = 0;
  for (const Digit digit : digits) {
    Kokkos::deep_copy(space, total, Count{0});
    Kokkos::parallel_for("copse::book::count_digits", policy,
                         Kernel{keys, tiles, prefix, digit, total});
    space.fence("copse::book::count_digits");
    const auto count = on_host(total);
    Key value = 0;
    while (rank >= count(value)) rank -= count(value++);
    prefix = prefix << digit.bits | value;
  }
  return prefix;
  // [end by_digits]
}

#define COPSE_INSTANTIATE(SPACE)                                                 \
  template Key find_rank_by_sorting<SPACE>(const SPACE&, RankKeys<SPACE>, Count, \
                                           RankWorkspace<SPACE>&);               \
  template Key find_rank_by_digits<SPACE>(const SPACE&, RankKeys<SPACE>, Count,  \
                                          RankWorkspace<SPACE>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::book
