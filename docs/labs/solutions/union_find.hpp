#pragma once
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::labs {

// [begin lab]
/// Disjoint sets of rows. A row's parent is a row of its set, at most as large; a root is its own
/// parent. Many threads call the members concurrently.
template <class Memory>
struct Sets {
  Memory memory;

  /// The root of a row's set. Replaces each parent on the way by the grandparent.
  KOKKOS_FUNCTION LocalIndex find(LocalIndex row) const {
    LocalIndex above = memory.load(row);
    while (above != row) {
      const LocalIndex next = memory.load(above);
      // A plain store could undo a shorter path that another thread has made meanwhile.
      if (next != above) memory.compare_exchange(row, above, next);
      row = above;
      above = next;
    }
    return row;
  }

  /// Joins the sets of two rows. Returns true for one caller of those that join the same two sets.
  KOKKOS_FUNCTION bool unite(LocalIndex a, LocalIndex b) const {
    LocalIndex larger = find(a), smaller = find(b);
    while (larger != smaller) {
      if (larger < smaller) Kokkos::kokkos_swap(larger, smaller);
      const LocalIndex seen = memory.compare_exchange(larger, larger, smaller);
      if (seen == larger) return true;
      larger = find(seen);  // another thread hooked it: continue from its new parent
    }
    return false;
  }
};
// [end lab]

}  // namespace copse::labs
