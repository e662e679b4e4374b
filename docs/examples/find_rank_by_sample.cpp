#include "find_rank.hpp"
#include "rank_tiles.hpp"
#include <copse/backend/backends.hpp>
#include <copse/particles/philox.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace copse::book {
namespace {

struct Bracket {
  Key low = 0, high = largest_key;

  KOKKOS_FUNCTION bool holds(Key key) const {  // && would be a branch
    return static_cast<bool>((low < key) & (key < high));
  }
};

// [begin bracket]
/// Two keys of a random sample that bracket the rank with high probability.
template <class SampleView>
Bracket bracket_of(const SampleView& sample, double share, double deviations) {
  const auto m = static_cast<double>(sample.extent(0));
  const double spread = deviations * std::sqrt(m * share * (1 - share));
  Key* const begin = sample.data();
  const auto of_rank = [&](double rank) {  // needs no sorted sample
    std::nth_element(begin, begin + static_cast<Count>(rank), begin + sample.extent(0));
    return begin[static_cast<Count>(rank)];
  };
  const double first = m * share - spread - 1, last = m * share + spread + 1;
  Bracket bracket;
  if (first >= 0) bracket.low = of_rank(first);
  if (last < m) bracket.high = of_rank(last);
  return bracket;
}
// [end bracket]

/// Counters of `Sweep`: keys below the bracket, equal to its low end, inside, equal to its high
/// end.
enum Place { below, at_low, inside, at_high, places };

// [begin sweep]
/// Counts the keys of a tile relative to the bracket, and keeps those inside.
template <class ExecutionSpace>
struct Sweep {
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  RankKeys<ExecutionSpace> keys;
  Bracket bracket;
  Totals<typename ExecutionSpace::memory_space> total;
  Kokkos::View<Key*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> kept;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const ShareOfTile<ExecutionSpace> mine(keys, team.league_rank(), team.team_rank());
    const Bracket here = bracket;
    std::uint32_t counts[places] = {0, 0, 0, 0};
    for (int k = 0; k < mine.size; ++k) {
      counts[below] += mine.key[k] < here.low;
      counts[at_low] += mine.key[k] == here.low;
      counts[inside] += here.holds(mine.key[k]);
      counts[at_high] += mine.key[k] == here.high;
    }
    // Sixteen keys form a group: one group on a device, 256 on a host, most of which have no keys
    // inside.
    constexpr int groups = mine.size / 16;
    std::uint32_t some[groups] = {};
    for (int k = 0; k < 16; ++k) {
      for (int g = 0; g < groups; ++g) some[g] |= here.holds(mine.key[k * groups + g]);
    }
    // Destination of this thread's keys: after those of lower threads and of earlier teams.
    Count to = team.team_scan(Count{counts[inside]}, &total(inside));
    for (int g = 0; g < groups; ++g) {
      if (some[g] == 0) continue;
      for (int k = 0; k < 16; ++k) {
        const Key key = mine.key[k * groups + g];
        if (!here.holds(key)) continue;
        if (to < kept.extent(0)) kept(to) = key;
        ++to;
      }
    }
    // A team's counts are at most 4096, so one 64-bit number holds three of them.
    std::uint64_t others =
        counts[below] | std::uint64_t{counts[at_low]} << 16 | std::uint64_t{counts[at_high]} << 32;
    team.team_reduce(Kokkos::Sum<std::uint64_t>(others));
    if (team.team_rank() == 0) {
      Kokkos::atomic_add(&total(below), others & 0xFFFFU);
      Kokkos::atomic_add(&total(at_low), others >> 16 & 0xFFFFU);
      Kokkos::atomic_add(&total(at_high), others >> 32);
    }
  }
};
// [end sweep]

// [begin sample]
/// One random key from each of so many equal parts.
template <class ExecutionSpace>
struct TakeSample {
  RankKeys<ExecutionSpace> keys;
  Kokkos::View<Key*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> sample;
  std::uint32_t attempt;

  KOKKOS_FUNCTION void operator()(Count i) const {
    const Count n = keys.extent(0), m = sample.extent(0);
    const Count begin = n * i / m, end = n * (i + 1) / m;
    const PhiloxBlock random = philox4x32({static_cast<std::uint32_t>(i), attempt, 0, 0}, {1, 1});
    sample(i) = keys(begin + random[0] % (end - begin));
  }
};
// [end sample]

}  // namespace

template <class ExecutionSpace>
Key find_rank_by_sample(const ExecutionSpace& space, RankKeys<ExecutionSpace> keys, Count rank,
                        RankWorkspace<ExecutionSpace>& workspace, double deviations) {
  const Count n = keys.extent(0);
  // [begin by_sample]
  // A larger sample keeps fewer keys, but the device waits while the host processes it.
  const Count sample_size = runs_on_host<ExecutionSpace> ? 1 << 16 : 1 << 12;
  const int attempts = n < 16 * sample_size ? 0 : 3;
  const auto sample = workspace.template get<Key>("find_rank::sample", sample_size);
  const auto total = workspace.template get<Count>("find_rank::places", places);
  const auto kept = workspace.template get<Key>("find_rank::kept", n / 8);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Kokkos::parallel_for("copse::book::take_sample",
                         Kokkos::RangePolicy<ExecutionSpace>(space, 0, sample_size),
                         TakeSample<ExecutionSpace>{keys, sample, static_cast<Key>(attempt)});
    Kokkos::deep_copy(space, total, Count{0});
    space.fence("copse::book::take_sample");
    const double share = (static_cast<double>(rank) + 0.5) / static_cast<double>(n);
    const Bracket bracket = bracket_of(on_host(sample), share, deviations);
    Kokkos::parallel_for(
        "copse::book::sweep",
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(tiles_of<ExecutionSpace>(keys)),
                                           ShareOfTile<ExecutionSpace>::threads),
        Sweep<ExecutionSpace>{keys, bracket, total, kept});
    space.fence("copse::book::sweep");
    const auto count = on_host(total);
    if (rank < count(below)) continue;  // the bracket missed: another sample
    Count left = rank - count(below);
    if (left < count(at_low)) return bracket.low;
    left -= count(at_low);
    if (left < count(inside) && count(inside) > kept.extent(0)) continue;
    if (left < count(inside))
      return find_rank_by_digits<ExecutionSpace>(
          space, Kokkos::subview(kept, std::pair(Count{0}, count(inside))), left, workspace);
    if (left - count(inside) < count(at_high)) return bracket.high;
  }
  return find_rank_by_digits<ExecutionSpace>(space, keys, rank, workspace);
  // [end by_sample]
}

#define COPSE_INSTANTIATE(SPACE)                                                \
  template Key find_rank_by_sample<SPACE>(const SPACE&, RankKeys<SPACE>, Count, \
                                          RankWorkspace<SPACE>&, double);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::book
