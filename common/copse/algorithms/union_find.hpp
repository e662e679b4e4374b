#pragma once
/// \file
/// Disjoint sets of rows that many threads join concurrently, without locks.
///
/// A forest in one array: `parent(i)` is a row of the same set, and a root is its own parent.
///
/// Two roots are joined by *hooking* one under the other. An order of the rows determines which
/// one:
///
/// | order | root of a set | longest path, sets joined by very many threads at once |
/// |---|---|---|
/// | SmallestFirst | its smallest row | as long as the set, if adjacent rows are joined |
/// | ScatteredFirst | any of its rows | O(log n) (Jayanti and Tarjan 2016, randomised linking) |
///
/// With SmallestFirst, thousands of packets of a GPU that each join a leaf with the next one build
/// a chain of thousands of rows, and every search for a root climbs it. A host has few threads,
/// which process the rows in order, and SmallestFirst gives them paths of one step.
///
/// Invariant: along a path, rows that were once roots come ever earlier in the order. A root is
/// hooked only under an earlier one, so no interleaving of threads can create a cycle.
///
/// Why the races are harmless (Jayanti and Tarjan 2016; Jaiganesh and Burtscher 2018, "ECL-CC"):
/// - Only roots change sets, and only by a compare-and-swap that expects them to be roots still. If
///   another thread hooked the root in the meantime, the compare-and-swap returns its new parent
///   and the search continues from there.
/// - Path splitting replaces a parent by a grandparent, a row of the same set nearer to the root;
///   this stays true because sets only grow. A stale read, or a shortcut lost to another thread,
///   only costs a longer path. Parents only move towards the root, so a root written by
///   flatten_sets stays.

#include <copse/algorithms/permutation.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/relaxed_access.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace copse {

/// parent(i) <= i, and the root of a finished set is its smallest row.
struct SmallestFirst {
  KOKKOS_FORCEINLINE_FUNCTION static bool is_before(LocalIndex a, LocalIndex b) { return a < b; }
};

/// A pseudo-random order, the same in every run: row numbers scrambled by a bijection, the
/// finaliser of MurmurHash3 (Appleby).
struct ScatteredFirst {
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t scrambled(std::uint32_t row) {
    row = (row ^ (row >> 16)) * 0x85ebca6bu;
    row = (row ^ (row >> 13)) * 0xc2b2ae35u;
    return row ^ (row >> 16);
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_before(LocalIndex a, LocalIndex b) {
    return scrambled(a) < scrambled(b);
  }
};

template <class MemorySpace, class Order = SmallestFirst>
struct UnionFind {
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> parent;  ///< [rows]

  /// A row of the same set that is nearer to the root, or the root. May be read while threads join
  /// sets.
  KOKKOS_FUNCTION LocalIndex above(LocalIndex row) const { return load(row); }

  /// The current root of a row's set; splits the path it climbs. Amortised O(log n).
  KOKKOS_FUNCTION LocalIndex find(LocalIndex row) const {
    LocalIndex here = row;
    LocalIndex above = load(here);
    while (above != here) {
      const LocalIndex next = load(above);
      // Compare-and-swap, not a plain store: a late store could move a parent away from the root
      // again and undo flatten_sets.
      if (next != above) Kokkos::atomic_compare_exchange(&parent(here), above, next);
      here = above;
      above = next;
    }
    return here;
  }

  /// Like `find`, but does not change the path: threads that climb concurrently only read and do
  /// not wait for each other.
  KOKKOS_FUNCTION LocalIndex root_by_now(LocalIndex row) const {
    LocalIndex here = row;
    for (LocalIndex above = load(here); above != here; above = load(here)) here = above;
    return here;
  }

  /// Moves two rows to their current roots, with both loads of a step in flight. Does not change
  /// the paths.
  KOKKOS_FUNCTION void climb(LocalIndex& a, LocalIndex& b) const {
    while (true) {
      const LocalIndex above_a = load(a);
      const LocalIndex above_b = load(b);
      if (above_a == a && above_b == b) return;
      a = above_a;
      b = above_b;
    }
  }

  /// Joins the sets of two rows. \return true if they were different sets
  KOKKOS_FUNCTION bool unite(LocalIndex a, LocalIndex b) const {
    LocalIndex root_of_a = find(a);
    LocalIndex root_of_b = find(b);
    return unite_roots(root_of_a, root_of_b);
  }

  /// The same for rows that were roots when the caller looked: one memory access if they still are.
  /// Both become one row of the joined set, at or near its root.
  KOKKOS_FUNCTION bool unite_roots(LocalIndex& a, LocalIndex& b) const {
    while (a != b) {
      if (Order::is_before(a, b)) Kokkos::kokkos_swap(a, b);  // a is hooked under b
      const LocalIndex seen = Kokkos::atomic_compare_exchange(&parent(a), a, b);
      if (seen == a) {
        a = b;
        return true;
      }
      a = find(seen);
    }
    return false;
  }

 private:
  KOKKOS_FUNCTION LocalIndex load(LocalIndex row) const { return relaxed_load(&parent(row)); }
};

namespace detail {
template <class Sets>
struct FlattenSets {
  Sets sets;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    const auto row = static_cast<LocalIndex>(i);
    const LocalIndex root = sets.find(row);
    relaxed_store(&sets.parent(i), root);
  }
};
}  // namespace detail

/// Makes every row a separate set. No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Order>
void make_singletons(const ExecutionSpace& space, const UnionFind<MemorySpace, Order>& sets) {
  number_rows("copse::union_find::singletons", space, sets.parent);
}

/// parent(i) becomes the root of i's set, for every row. No thread may join sets concurrently.
/// No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Order>
void flatten_sets(const ExecutionSpace& space, const UnionFind<MemorySpace, Order>& sets) {
  Kokkos::parallel_for("copse::union_find::flatten",
                       CountRange<ExecutionSpace>(space, 0, sets.parent.extent(0)),
                       detail::FlattenSets<UnionFind<MemorySpace, Order>>{sets});
}

}  // namespace copse
