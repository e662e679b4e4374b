#pragma once
/// \file
/// segmented_select: the k-th smallest key of every segment, exactly, for any number of segments of
/// any size in one sequence of launches.
///
/// The method is Floyd and Rivest's SELECT (1975) over all segments at once. A random sample of a
/// large segment gives a bracket [lo, hi] of keys that contains the answer almost surely (4
/// standard deviations of the sample rank) and few of the keys (4 / sqrt(sample size), 6 % for
/// 4096). One pass counts the keys below, inside, above and at both ends of the bracket and copies
/// those strictly inside to a candidate list; the search continues among the candidates. Segments
/// that fit a team's scratch memory are solved there directly. Keys equal to a bracket end are
/// counted but never copied, so ties, even a constant segment, end the search instead of prolonging
/// it.
///
/// If the bracket misses the answer, or its inside overflows the list, the range known to contain
/// the answer shrinks and the segment is retried. From the third attempt on the bracket is the
/// middle of that range, which halves it, so the number of attempts is bounded by the number of key
/// bits.
///
/// Bytes per key: one read of the key, plus about a tenth for the candidates. The bisection of
/// [Rehmann 2022] section 3.5 takes "about 20 of 32" reads, an 11-bit histogram three. The result
/// is a property of the keys, not of the samples: bitwise equal on every backend.

#include <copse/algorithms/detail/select_filter.hpp>
#include <copse/algorithms/detail/select_kernels.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/algorithms/team_select.hpp>
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace copse {

/// Result of segmented_select for one segment.
template <class MemorySpace, class Key>
using Selection = Kokkos::View<Selected<Key>*, Kokkos::LayoutLeft, MemorySpace>;

/// Wanted 1-based rank of each segment; rank 0 skips the segment.
template <class MemorySpace>
using Ranks = Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace>;

namespace detail {

template <class ExecutionSpace, class Keys, class Key, class MemorySpace>
void select_from(const ExecutionSpace& space, const Keys& keys,
                 const Segments<MemorySpace>& segments, const Ranks<MemorySpace>& ranks, Count rows,
                 const Selection<MemorySpace, Key>& result, Workspace<MemorySpace>& workspace,
                 int depth) {
  const Count n = segments.extent(0);
  const std::string name = "select" + std::to_string(depth);
  SelectState<MemorySpace, Key> state;
  state.segments = segments;
  state.ranks = ranks;
  state.bounds = workspace.template get<Bracket<Key>>(name + "::bounds", n);
  state.bracket = workspace.template get<Bracket<Key>>(name + "::bracket", n);
  state.count = workspace.template get<BracketCount>(name + "::count", n);
  state.inner = workspace.template get<Segment>(name + "::inner", n);
  state.inner_rank = workspace.template get<Count>(name + "::inner_rank", n);
  state.result = result;
  state.pending = workspace.template get<Count>(name + "::pending", 2);

  using Policy = Kokkos::RangePolicy<ExecutionSpace>;
  Kokkos::parallel_for("copse::select::begin", Policy(space, 0, n),
                       BeginSelect<decltype(state)>{state});
  for (int attempt = 0;; ++attempt) {
    Kokkos::deep_copy(space, state.pending, Count{0});
    launch_bracket(space, keys, state, depth, attempt);
    const Count pending = read_pending(space, state)[0];
    if (pending == 0) return;

    // Only segments larger than the scratch limit are still pending.
    const Count large = std::min<Count>(pending, rows / direct_select_limit + 1);
    Kokkos::parallel_scan("copse::select::reserve", Policy(space, 0, n),
                          ReserveCandidates<decltype(state)>{state});
    state.candidates =
        workspace.template get<Key>(name + "::candidates", rows / 4 + candidate_slack);
    const auto tiles = make_tiles(space, segments, rows, large, workspace, name,
                                  PendingSegment<decltype(state)>{state});
    launch_filter(space, keys, tiles, state);
    Kokkos::deep_copy(space, state.pending, Count{0});
    Kokkos::parallel_for("copse::select::narrow", Policy(space, 0, n),
                         NarrowSelect<decltype(state)>{state});
    const auto after = read_pending(space, state);
    if (after[1] > 0) {
      const Count inner_rows = after[1];
      const auto inner_result = workspace.template get<Selected<Key>>(name + "::inner_result", n);
      select_from(space, CandidateKeys<Key>{state.candidates.data()}, state.inner, state.inner_rank,
                  inner_rows, inner_result, workspace, depth + 1);
      Kokkos::parallel_for(
          "copse::select::adopt", Policy(space, 0, n),
          AdoptInner<decltype(state), decltype(inner_result)>{state, inner_result});
    }
    if (after[0] == 0) return;
  }
}

}  // namespace detail

/// For every segment s with ranks(s) > 0, finds the key of that 1-based rank among the segment's
/// keys, the number of smaller keys and the number of equal ones.
///
/// `keys.segment(s)` must return a light functor `Key operator()(Count row) const` that gives the
/// key of a row of segment s, for example a coordinate along the cell's cut axis or a distance to
/// its vantage point. `rows` bounds the sum of the segment sizes. 1 <= ranks(s) <= size of segment
/// s.
///
/// Work O(rows + segments); about 6 launches and 2 host synchronisations for each factor of 16 in
/// the largest segment's size over 4096. Workspace: at most a third of the keys plus 100 bytes per
/// segment.
template <class ExecutionSpace, class Keys, class MemorySpace, class Key>
void segmented_select(const ExecutionSpace& space, const Keys& keys,
                      const Segments<MemorySpace>& segments, const Ranks<MemorySpace>& ranks,
                      Count rows, const Selection<MemorySpace, Key>& result,
                      Workspace<MemorySpace>& workspace) {
  if (segments.extent(0) == 0) return;
  detail::select_from(space, keys, segments, ranks, rows, result, workspace, 0);
}

/// Approximate bytes of the workspace of segmented_select: with random keys, a sixteenth of the
/// rows of large segments continue to the next depth of the search.
template <class Key>
constexpr Count select_workspace_bytes(Count rows, Count segments) {
  using namespace detail;
  constexpr Count per_segment = 2 * sizeof(Bracket<Key>) + sizeof(BracketCount) + sizeof(Segment) +
                                sizeof(Count) + sizeof(Selected<Key>);
  Count bytes = 0;
  for (Count n = segments; n > 0; n = std::min(n, rows / direct_select_limit)) {
    bytes += n * per_segment;
    if (rows <= direct_select_limit) break;
    bytes += (rows / 4 + candidate_slack) * sizeof(Key) +
             tile_table_bytes(n, rows, rows / direct_select_limit + 1);
    rows /= 16;
  }
  return bytes;
}

}  // namespace copse
