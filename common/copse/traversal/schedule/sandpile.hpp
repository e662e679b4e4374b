#pragma once
/// \file
/// The paper's scheduler for unguided walks, on the host: the sandpile.
///
/// Start with the queries in input order. For each top leaf in turn, move the queries that reached
/// it before those that did not, keeping the order within both groups. Queries that share many
/// leaves end up near each other.
///
/// This is a radix sort from the least significant digit, with digits of one bit, so the result is
/// the stable sort by whole rows of the matrix, read as binary numbers in which the *last* leaf is
/// the most significant digit and "reached" the smaller one.
///
/// Source: [Liu 2019] section 3.2.2, figures 3.5 and 3.6. Errors of the listing, corrected here:
/// - `sandpile`, `taken` and `untaken` are pointers to vectors that are never allocated, and
///   `sandpile` is assigned eight points instead of a pointer;
/// - `foreach (j in untaken)` iterates over a pointer;
/// - `delete sandpile, untaken` deletes only the first (comma operator), so one vector leaks per
///   step;
/// - it reads `matrix[node][point]` where figure 3.3 fills `matrix[point][node]`.

#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse {

namespace detail {

/// A query and the current word of its row. They move together, because reading the word from the
/// matrix for every column would be a random access.
struct SandGrain {
  VisitWord word;
  LocalIndex query;
};

/// Minimum number of queries per thread.
inline constexpr Count sandpile_chunk = 1 << 13;

/// One step of the sandpile: a stable split by one bit, in parallel chunks.
struct SandpileSplit {
  const SandGrain* from;
  SandGrain* to;
  Count* taken;  ///< per chunk: number taken, then output offset of its taken queries
  Count n;
  Count chunks;
  int bit;

  Count begin(Count chunk) const { return n * chunk / chunks; }
  bool visited(Count i) const { return (from[i].word >> bit & 1) != 0; }

  void count(Count chunk) const {
    Count sum = 0;
    for (Count i = begin(chunk); i < begin(chunk + 1); ++i) sum += visited(i);
    taken[chunk] = sum;
  }
  /// \return total number taken
  Count plan() const {
    Count sum = 0;
    for (Count c = 0; c < chunks; ++c) {
      const Count here = taken[c];
      taken[c] = sum;
      sum += here;
    }
    return sum;
  }
  void move(Count chunk, Count all_taken) const {
    Count taken_to = taken[chunk];
    Count untaken_to = all_taken + (begin(chunk) - taken[chunk]);
    for (Count i = begin(chunk); i < begin(chunk + 1); ++i) {
      const bool take = visited(i);  // branch-free: a branch would be mispredicted
      to[take ? taken_to : untaken_to] = from[i];
      taken_to += take;
      untaken_to += !take;
    }
  }
};

}  // namespace detail

/// Computes the schedule of `visits` by the sandpile over columns 0 to `columns` - 1. `space` must
/// be a host space; `order` has one element per row of `visits` and need not be initialised.
///
/// O(queries x columns): every column reads 16 bytes per query twice and writes them once. The
/// result does not depend on the number of threads.
template <class ExecutionSpace>
void sandpile(const ExecutionSpace& space, const ConstVisitMatrix<Kokkos::HostSpace>& visits,
              Count columns, const ScheduleView<Kokkos::HostSpace>& order,
              Workspace<Kokkos::HostSpace>& workspace) {
  static_assert(runs_on_host<ExecutionSpace>, "the sandpile runs on a host");
  using Policy = Kokkos::RangePolicy<ExecutionSpace>;
  const Count n = order.extent(0);
  const Count chunks =
      std::clamp<Count>(n / detail::sandpile_chunk, 1, static_cast<Count>(space.concurrency()));
  detail::SandGrain* pile = workspace.get<detail::SandGrain>("sandpile::pile", n).data();
  detail::SandGrain* next = workspace.get<detail::SandGrain>("sandpile::next", n).data();
  std::vector<Count> taken(chunks);

  number_rows("copse::schedule::input_order", space, order);
  for (Count c = 0; c < columns; ++c) {
    const int bit = static_cast<int>(c % visit_word_columns);
    if (bit == 0)
      Kokkos::parallel_for("copse::schedule::sandpile_word", Policy(space, 0, n), [&](Count i) {
        pile[i] = {visits(order(i), c / visit_word_columns), order(i)};
      });
    const detail::SandpileSplit split{pile, next, taken.data(), n, chunks, bit};
    Kokkos::parallel_for("copse::schedule::sandpile_count", Policy(space, 0, chunks),
                         [&](Count chunk) { split.count(chunk); });
    space.fence("copse::schedule::sandpile_count");
    const Count all_taken = split.plan();
    if (all_taken > 0 && all_taken < n) {
      Kokkos::parallel_for("copse::schedule::sandpile_move", Policy(space, 0, chunks),
                           [&](Count chunk) { split.move(chunk, all_taken); });
      std::swap(pile, next);
    }
    if (bit + 1 == static_cast<int>(visit_word_columns) || c + 1 == columns)
      Kokkos::parallel_for("copse::schedule::sandpile_order", Policy(space, 0, n),
                           [&](Count i) { order(i) = pile[i].query; });
    space.fence("copse::schedule::sandpile");
  }
}

}  // namespace copse
