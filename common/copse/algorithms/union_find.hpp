#pragma once
/// \file
/// Disjoint sets of rows that many threads join at once, without locks.
///
/// A forest in one array: `parent(i)` is a row of the same set, and a root is its own parent.
///
/// Invariant: parent(i) <= i, always. A root is hooked under a smaller row only, so there are no
/// cycles whatever the threads do, and the root of a finished set is its smallest row: sets come
/// out the same on every backend and in every order of joins.
///
/// Why the races are harmless (Jayanti and Tarjan 2016; Jaiganesh and Burtscher 2018, "ECL-CC"):
/// - Only roots change sets, and only by a compare-and-swap that expects them to be roots still. A
///   thread whose root was hooked by another meanwhile sees it and goes on from there.
/// - Splitting a path replaces a parent by a grandparent, a smaller row of the same set, which it
///   stays: sets only grow. A value read late, or a shortcut lost to another thread's, costs a
///   longer path and nothing else. Parents only fall, so a root once written by flatten_sets stays.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse {

template <class MemorySpace>
struct UnionFind {
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> parent;  ///< [rows]

  /// A row of the same set that is nearer to its root, or the root. May be read while threads join.
  KOKKOS_FUNCTION LocalIndex above(LocalIndex row) const { return load(row); }

  /// The root of a row's set as far as it has grown by now; splits the path on its way. Amortised
  /// O(log n).
  KOKKOS_FUNCTION LocalIndex find(LocalIndex row) const {
    LocalIndex here = row;
    LocalIndex above = load(here);
    while (above != here) {
      const LocalIndex next = load(above);
      // Only in place of what was read: a parent that was raised again by a late write would spoil
      // what flatten_sets has finished.
      if (next != above) Kokkos::atomic_compare_exchange(&parent(here), above, next);
      here = above;
      above = next;
    }
    return here;
  }

  /// Joins the sets of two rows. \return whether they were different sets until now
  KOKKOS_FUNCTION bool unite(LocalIndex a, LocalIndex b) const {
    LocalIndex larger = find(a);
    LocalIndex smaller = find(b);
    while (larger != smaller) {
      if (larger < smaller) Kokkos::kokkos_swap(larger, smaller);
      const LocalIndex seen = Kokkos::atomic_compare_exchange(&parent(larger), larger, smaller);
      if (seen == larger) return true;
      larger = find(seen);
    }
    return false;
  }

 private:
  KOKKOS_FUNCTION LocalIndex load(LocalIndex row) const {
    return Kokkos::atomic_load(&parent(row));
  }
};

namespace detail {
template <class MemorySpace>
struct MakeSingletons {
  UnionFind<MemorySpace> sets;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    sets.parent(i) = static_cast<LocalIndex>(i);
  }
};
template <class MemorySpace>
struct FlattenSets {
  UnionFind<MemorySpace> sets;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    const auto row = static_cast<LocalIndex>(i);
    const LocalIndex root = sets.find(row);
    Kokkos::atomic_store(&sets.parent(i), root);
  }
};
}  // namespace detail

/// Every row becomes a set of its own. No synchronisation.
template <class ExecutionSpace, class MemorySpace>
void make_singletons(const ExecutionSpace& space, const UnionFind<MemorySpace>& sets) {
  Kokkos::parallel_for("copse::union_find::singletons",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(
                           space, 0, sets.parent.extent(0)),
                       detail::MakeSingletons<MemorySpace>{sets});
}

/// parent(i) becomes the smallest row of i's set, for every row. No thread may join sets meanwhile.
/// No synchronisation.
template <class ExecutionSpace, class MemorySpace>
void flatten_sets(const ExecutionSpace& space, const UnionFind<MemorySpace>& sets) {
  Kokkos::parallel_for("copse::union_find::flatten",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(
                           space, 0, sets.parent.extent(0)),
                       detail::FlattenSets<MemorySpace>{sets});
}

}  // namespace copse
