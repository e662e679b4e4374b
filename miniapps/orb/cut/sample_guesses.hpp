#pragma once
/// \file
/// First guesses of a cut from a sample of the cell ([Rehmann draft], "binary search with improved
/// guessing").
///
/// The draft takes the median of 100 particles as the first cut and then halves the box as before.
/// That saves little: the guess is accurate to a tenth of the particles, but only one bound moves
/// to it; the other stays at the far side of the box. Here the sample also provides the other
/// bound, an order statistic 2 standard deviations away, so after two counts the bracket holds a
/// small part of the cell, whatever the distribution.

#include "../count/cut_trials.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb {

/// Sample keys: the first count is up to `middle`, the second up to one of the others.
struct CutGuesses {
  Real low;
  Real middle;
  Real high;
};

inline constexpr std::uint32_t guess_sample = 1024;

/// One team per cell. A cell no larger than the sample is its own sample: its first guess is exact.
template <class ExecutionSpace>
struct SampleGuesses {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Key = OrderedKey<Real>;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  using ScratchKeys = Kokkos::View<Key*, Scratch, Kokkos::MemoryUnmanaged>;
  using ScratchState = Kokkos::View<SelectScratch*, Scratch, Kokkos::MemoryUnmanaged>;

  CutTrials<MemorySpace> trials;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> wanted;
  Kokkos::View<CutGuesses*, Kokkos::LayoutLeft, MemorySpace> guesses;

  static std::size_t scratch_bytes() {
    return ScratchKeys::shmem_size(guess_sample) + ScratchState::shmem_size(1);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count s = team.league_rank();
    if (!trials.is_open(s)) return;
    const Segment segment = trials.segments(s);
    const Real* keys = trials.column(s).keys;
    const Count n = segment.size();
    const std::uint32_t m = n < guess_sample ? static_cast<std::uint32_t>(n) : guess_sample;
    ScratchKeys sample(team.team_scratch(0), guess_sample);
    ScratchState scratch(team.team_scratch(0), 1);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m), [&](std::uint32_t i) {
      const Count first = n * i / m;
      const Count stride = n * (i + 1) / m - first;
      sample(i) = ordered_key(keys[segment.begin + first + sample_hash(s * m + i) % stride]);
    });
    team.team_barrier();
    const double p = static_cast<double>(wanted(s)) / static_cast<double>(n);
    const double margin = n <= guess_sample ? 0.0 : 2.0 * Kokkos::sqrt(m * p * (1.0 - p)) + 1.0;
    const auto order_statistic = [&](double rank) {
      const double within = rank < 1.0 ? 1.0 : (rank > m ? static_cast<double>(m) : rank);
      const auto found =
          team_select(team, sample.data(), m, static_cast<std::uint32_t>(within), scratch(0));
      return from_ordered_key<Real>(found.key);
    };
    CutGuesses g;
    g.low = order_statistic(Kokkos::floor(m * p - margin));
    g.middle = order_statistic(Kokkos::ceil(m * p - 0.5));
    g.high = order_statistic(Kokkos::ceil(m * p + margin));
    if (n <= guess_sample)
      g.low = g.middle = g.high = order_statistic(static_cast<double>(wanted(s)));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { guesses(s) = g; });
  }
};

template <class ExecutionSpace, class Trials, class Wanted, class Guesses>
void launch_sample_guesses(const ExecutionSpace& space, const Trials& trials, const Wanted& wanted,
                           const Guesses& guesses) {
  using Kernel = SampleGuesses<ExecutionSpace>;
  Kokkos::TeamPolicy<ExecutionSpace> policy(space, static_cast<int>(trials.segments.extent(0)),
                                            runs_on_host<ExecutionSpace> ? 1 : 128);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
  Kokkos::parallel_for("copse::orb::sample_guesses", policy, Kernel{trials, wanted, guesses});
}

}  // namespace copse::orb
