#pragma once
/// \file
/// Hoare's partition in place ([Rehmann 2022] listing 7), one thread per cell. Host only.
///
/// Listing 7 and algorithm 3 as printed lose particles or read outside the array. The errors and
/// their corrections:
///
///  1. `x < cut` from the left and `x > cut` from the right both stop at a key equal to the cut, so
///     such keys end on either side, while the cut was counted with x <= cut. Here a single
///     predicate decides: x <= cut goes left.
///  2. `while (x[i] < cut and i <= endInd)` reads x[endInd], a row of the next cell or past the
///     array, before it tests the index, and the test admits endInd; the same below `beginInd`.
///     Here the index is tested first, and strictly.
///  3. `swap(i, endInd - 1)` afterwards is the last move of Lomuto's partition, for a pivot.
///     Without a pivot it moves a right row to the front of the right side. That is harmless unless
///     i == endInd, when it writes past the cell, or the right side is empty, when it moves a left
///     row. Here: no such swap. (Algorithm 3 has the same line, and its inner loop passes rows that
///     the outer one has not reached, so the swap moves a row of the left side to the right.)
///  4. Ending with i >= j is correct only with one predicate: then i is the first right row, where
///     the children meet. With two predicates, a key equal to the cut at i == j belongs to neither.
///
/// In place it needs no second copy of the particles, but leaves do not keep the order of the
/// input, and every swap touches all columns at two distant rows.

#include <copse/algorithms/columns.hpp>
#include <copse/algorithms/partition_plan.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>

namespace copse::orb {

/// Swaps the rows of [rows.begin, rows.end) with key <= threshold to the front.
/// \param key   functor: the current key of a row
/// \param swap  exchanges two rows
/// \return the first row of the right side. O(size), at most size / 2 swaps; never reads a row
///         outside.
template <class KeyOfRow, class Key, class Swap>
Count hoare_partition(const Segment& rows, const KeyOfRow& key, Key threshold, const Swap& swap) {
  Count i = rows.begin;
  Count j = rows.end;  // rows before i are left, rows from j on are right
  for (;;) {
    while (i < j && key(i) <= threshold) ++i;
    while (i < j && !(key(j - 1) <= threshold)) --j;
    if (i >= j) return i;
    swap(i, j - 1);  // two different rows, both on the wrong side
    ++i;
    --j;
  }
}

template <class Keys, class LevelT, class Set, class Summary>
struct HoareCell {
  using Key = typename LevelT::Key;
  Keys keys;
  LevelT level;
  Set columns;
  Summary summary;

  void operator()(Count s) const {
    const Segment rows = level.segments(s);
    const Key threshold = level.threshold(s);
    const auto key = keys.segment(s);
    const auto swap_rows = [&](Count a, Count b) {
      // The columns' `from` arrays are the particles themselves.
      columns.for_each_on_host([&]<class T>(const T* from, T*) {
        std::swap(const_cast<T*>(from)[a], const_cast<T*>(from)[b]);
      });
    };
    // A threshold of ~0 sends every row left.
    const bool divides = threshold != static_cast<Key>(~Key{0});
    const Count border = divides ? hoare_partition(rows, key, threshold, swap_rows) : rows.end;
    PartitionSummary<Key> result{border - rows.begin, Key{0}, static_cast<Key>(~Key{0})};
    for (Count i = rows.begin; i < border; ++i)
      result.left_max = std::max<Key>(result.left_max, key(i));
    for (Count i = border; i < rows.end; ++i)
      result.right_min = std::min<Key>(result.right_min, key(i));
    summary(s) = result;
  }
};

/// A mover (bisection.hpp).
struct MoveByHoare {
  static constexpr bool in_place = true;

  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace, class... Ts>
  auto operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  const Columns<Ts...>& columns, Workspace<MemorySpace>& workspace) const {
    static_assert(runs_on_host<ExecutionSpace>);
    const Count n = level.segments.extent(0);
    auto summary =
        workspace.template get<PartitionSummary<typename LevelT::Key>>("hoare::summary", n);
    Kokkos::parallel_for(
        "copse::orb::hoare",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(space, 0, n),
        HoareCell<Keys, LevelT, Columns<Ts...>, decltype(summary)>{keys, level, columns, summary});
    return summary;
  }
};

}  // namespace copse::orb
