#pragma once
/// \file
/// Kernels of segmented_select; see segmented_select.hpp for the method.

#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/split_mix.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>

namespace copse::detail {

/// Segments up to this size are solved directly in scratch memory; it is also the largest sample
/// size. 4096 four-byte keys take 16 KiB of scratch, so a multiprocessor still holds a dozen teams.
inline constexpr std::uint32_t direct_select_limit = 4096;

/// Segments of n keys, n at least this size, get n/8 slots for candidates, twice the expected
/// number. Smaller segments have smaller samples and get n/4 slots, at least 1.4 times the expected
/// number.
inline constexpr Count large_sample_size = 8 * Count{direct_select_limit};
inline constexpr Count candidate_slack = 64;

/// Inclusive range of keys.
template <class Key>
struct Bracket {
  Key low;
  Key high;
};

/// Counts of a segment's keys relative to its bracket; the count above it follows from the total.
struct BracketCount {
  Count below;    ///< key < low
  Count at_low;   ///< key == low
  Count inside;   ///< low < key < high
  Count at_high;  ///< key == high and low < high
};

template <class MemorySpace, class Key_>
struct SelectState {
  using Key = Key_;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Array<Segment> segments;
  Array<Count> ranks;           ///< 0: skipped or done
  Array<Bracket<Key>> bounds;   ///< range of keys that contains the answer
  Array<Bracket<Key>> bracket;  ///< keys counted in this attempt; low > high: segment is done
  Array<BracketCount> count;
  Array<Segment> inner;  ///< first the slots of the candidates, later the candidates
  Array<Count> inner_rank;
  Array<Selected<Key>> result;
  Array<Key> candidates;
  Array<Count> pending;  ///< [0] unfinished segments, [1] candidate slots assigned

  KOKKOS_FUNCTION bool is_pending(Count s) const { return bracket(s).low <= bracket(s).high; }
  KOKKOS_FUNCTION void close(Count s) const { bracket(s) = {Key{1}, Key{0}}; }
};

/// Keys of the inner rounds: an array of numbers.
template <class Key>
struct CandidateKeys {
  const Key* keys;
  KOKKOS_FUNCTION const CandidateKeys& segment(Count) const { return *this; }
  KOKKOS_FORCEINLINE_FUNCTION Key operator()(Count row) const { return keys[row]; }
};

template <class State>
struct BeginSelect {
  State state;
  KOKKOS_FUNCTION void operator()(Count s) const {
    using Key = typename State::Key;
    state.bounds(s) = {Key{0}, static_cast<Key>(~Key{0})};
    if (state.ranks(s) == 0) {
      state.close(s);
    } else {
      state.bracket(s) = state.bounds(s);
    }
  }
};

/// One team per segment: solves a small segment, brackets the answer of a large one by a sample.
template <class ExecutionSpace, class Keys, class State>
struct BracketKernel {
  using Key = typename State::Key;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Scratch = typename ExecutionSpace::scratch_memory_space;
  using ScratchKeys = Kokkos::View<Key*, Scratch, Kokkos::MemoryUnmanaged>;
  using ScratchState = Kokkos::View<SelectScratch*, Scratch, Kokkos::MemoryUnmanaged>;

  Keys keys;
  State state;
  std::uint64_t seed;
  int attempt;

  static std::size_t scratch_bytes() {
    return ScratchKeys::shmem_size(direct_select_limit) + ScratchState::shmem_size(1);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Count s = team.league_rank();
    if (!state.is_pending(s)) return;
    const Segment segment = state.segments(s);
    const Count n = segment.size();
    const auto key = keys.segment(s);
    ScratchKeys scratch_keys(team.team_scratch(0), direct_select_limit);
    ScratchState scratch(team.team_scratch(0), 1);

    if (n <= direct_select_limit) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, static_cast<std::uint32_t>(n)),
                           [&](std::uint32_t i) { scratch_keys(i) = key(segment.begin + i); });
      team.team_barrier();
      const Selected<Key> selected =
          team_select(team, scratch_keys.data(), static_cast<std::uint32_t>(n),
                      static_cast<std::uint32_t>(state.ranks(s)), scratch(0));
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        state.result(s) = selected;
        state.close(s);
      });
      return;
    }

    Bracket<Key> bracket = state.bounds(s);
    if (attempt >= 2) {
      bracket.low = bracket.high = bracket.low + (bracket.high - bracket.low) / 2;
    } else {
      const std::uint32_t m = n < large_sample_size ? static_cast<std::uint32_t>(n / 8)
                                                    : std::uint32_t{direct_select_limit};
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m), [&](std::uint32_t i) {
        // One sample in each of m equal strides: random enough, and evenly spread.
        const Count first = n * i / m;
        const Count stride = n * (i + 1) / m - first;
        scratch_keys(i) = key(segment.begin + first + sample_hash(seed + s * m + i) % stride);
      });
      team.team_barrier();
      const double p = static_cast<double>(state.ranks(s)) / static_cast<double>(n);
      const double margin = 4.0 * Kokkos::sqrt(m * p * (1.0 - p)) + 1.0;
      const double low = Kokkos::floor(m * p - margin);
      const double high = Kokkos::ceil(m * p + margin);
      if (low >= 1.0) {
        const Key k =
            team_select(team, scratch_keys.data(), m, static_cast<std::uint32_t>(low), scratch(0))
                .key;
        if (k > bracket.low) bracket.low = k < bracket.high ? k : bracket.high;
      }
      if (high <= m) {
        const Key k =
            team_select(team, scratch_keys.data(), m, static_cast<std::uint32_t>(high), scratch(0))
                .key;
        if (k < bracket.high) bracket.high = k > bracket.low ? k : bracket.low;
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      state.bracket(s) = bracket;
      state.count(s) = BracketCount{0, 0, 0, 0};
      Kokkos::atomic_inc(&state.pending(0));
    });
  }
};

/// Assigns every pending segment its slots in the candidate list.
template <class State>
struct ReserveCandidates {
  State state;
  KOKKOS_FUNCTION void operator()(Count s, Count& sum, bool final) const {
    const Count n = state.segments(s).size();
    const Count slots = state.is_pending(s) ? n / (n < large_sample_size ? 4 : 8) : 0;
    if (final) state.inner(s) = Segment{sum, sum + slots};
    sum += slots;
  }
};

template <class State>
struct PendingSegment {
  State state;
  KOKKOS_FUNCTION bool operator()(Count s) const { return state.is_pending(s); }
};

/// Evaluates the counts of one attempt: finishes the segment or narrows its range.
template <class State>
struct NarrowSelect {
  State state;
  KOKKOS_FUNCTION void operator()(Count s) const {
    state.inner_rank(s) = 0;
    if (!state.is_pending(s)) return;
    using Key = typename State::Key;
    const BracketCount c = state.count(s);
    const Bracket<Key> bracket = state.bracket(s);
    const Count rank = state.ranks(s);
    const Count slots = state.inner(s).size();
    if (rank <= c.below) {
      state.bounds(s).high = bracket.low - 1;
    } else if (rank <= c.below + c.at_low) {
      state.result(s) = {bracket.low, c.below, c.at_low};
      return state.close(s);
    } else if (rank <= c.below + c.at_low + c.inside) {
      if (c.inside <= slots) {
        state.inner_rank(s) = rank - c.below - c.at_low;
        state.inner(s).end = state.inner(s).begin + c.inside;
        Kokkos::atomic_add(&state.pending(1), c.inside);
        return state.close(s);
      }
      state.bounds(s) = {static_cast<Key>(bracket.low + 1), static_cast<Key>(bracket.high - 1)};
    } else if (rank <= c.below + c.at_low + c.inside + c.at_high) {
      state.result(s) = {bracket.high, c.below + c.at_low + c.inside, c.at_high};
      return state.close(s);
    } else {
      state.bounds(s).low = bracket.high + 1;
    }
    Kokkos::atomic_inc(&state.pending(0));
  }
};

/// Copies the answers found among candidates.
template <class State, class Results>
struct AdoptInner {
  State state;
  Results inner_result;
  KOKKOS_FUNCTION void operator()(Count s) const {
    if (state.inner_rank(s) == 0) return;
    const BracketCount c = state.count(s);
    const auto found = inner_result(s);
    state.result(s) = {found.key, c.below + c.at_low + found.below, found.equal};
  }
};

template <class ExecutionSpace, class State>
std::array<Count, 2> read_pending(const ExecutionSpace& space, const State& state) {
  std::array<Count, 2> values{};
  Kokkos::View<Count*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(), 2);
  Kokkos::deep_copy(space, host, state.pending);
  space.fence("copse::select::read_pending");
  return values;
}

template <class ExecutionSpace, class Keys, class State>
void launch_bracket(const ExecutionSpace& space, const Keys& keys, const State& state, int depth,
                    int attempt) {
  using Kernel = BracketKernel<ExecutionSpace, Keys, State>;
  const std::uint64_t seed = sample_hash(static_cast<std::uint64_t>(depth) * 64 + attempt);
  const auto teams = static_cast<int>(state.segments.extent(0));
  // A team takes as long as its largest segment, so few teams are large.
  constexpr int large = 512;
  const int threads = teams <= space.concurrency() / large ? large : 128;
  Kokkos::TeamPolicy<ExecutionSpace> policy(space, teams,
                                            runs_on_host<ExecutionSpace> ? 1 : threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes()));
  Kokkos::parallel_for("copse::select::bracket", policy, Kernel{keys, state, seed, attempt});
}

}  // namespace copse::detail
