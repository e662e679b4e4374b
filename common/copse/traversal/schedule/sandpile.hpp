#pragma once
/// \file
/// The paper's scheduler for unguided walks, on the host: the sandpile.
///
/// Start with the queries in input order. Take the top leaves one after the other; for each, move
/// the queries that reached it before those that did not, and keep the order within both. A query
/// that shares many leaves with another so comes to stand near it.
///
/// This is a radix sort from the least significant digit, with digits of one bit, so the result is
/// the stable sort by whole rows of the matrix, read as binary numbers in which the *last* leaf is
/// the most significant digit and "reached" the smaller one. `device_sandpile.hpp` computes the
/// same order from that; the columns processed first decide least.
///
/// Source: [Liu 2019] section 3.2.2, figures 3.5 and 3.6. The listing's slips, mended here:
/// - `sandpile`, `taken` and `untaken` are pointers to vectors that are never made, and `sandpile`
///   is given eight points where a pointer is due;
/// - `foreach (j in untaken)` walks over a pointer;
/// - `delete sandpile, untaken` deletes the first alone (the comma operator), so one vector leaks
///   in every step;
/// - it asks `matrix[node][point]` where figure 3.3 fills `matrix[point][node]`.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace copse {

namespace detail {

/// A query and the word of its row that is being processed: moved together, because fetching the
/// word from the matrix anew for every column would be a random access each.
struct SandGrain {
  VisitWord word;
  LocalIndex query;
};

/// Smallest share of the queries worth a thread.
inline constexpr Count sandpile_chunk = 1 << 13;

/// One step of the sandpile: a stable split by one bit, in chunks that work side by side.
struct SandpileSplit {
  const SandGrain* from;
  SandGrain* to;
  Count* taken;  ///< per chunk: how many were taken, then where its taken go
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
  /// \return how many are taken in all
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
      const bool take = visited(i);  // no branch: it could not be predicted
      to[take ? taken_to : untaken_to] = from[i];
      taken_to += take;
      untaken_to += !take;
    }
  }
};

}  // namespace detail

/// The schedule of `visits` by the sandpile over columns 0 to `columns` - 1. `space` must be a host
/// space; `order` has as many elements as `visits` has rows and need not be set.
///
/// O(queries x columns): every column reads 16 bytes a query twice and writes them once. The result
/// does not depend on the number of threads.
template <class ExecutionSpace>
void sandpile(const ExecutionSpace& space, const ConstVisitMatrix<Kokkos::HostSpace>& visits,
              Count columns, const ScheduleView<Kokkos::HostSpace>& order,
              Workspace<Kokkos::HostSpace>& workspace) {
  static_assert(runs_on_host<ExecutionSpace>, "on a device take device_sandpile");
  using Policy = Kokkos::RangePolicy<ExecutionSpace>;
  const Count n = order.extent(0);
  const Count chunks =
      std::clamp<Count>(n / detail::sandpile_chunk, 1, static_cast<Count>(space.concurrency()));
  detail::SandGrain* pile = workspace.get<detail::SandGrain>("sandpile::pile", n).data();
  detail::SandGrain* next = workspace.get<detail::SandGrain>("sandpile::next", n).data();
  std::vector<Count> taken(chunks);

  input_order(space, order);
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
