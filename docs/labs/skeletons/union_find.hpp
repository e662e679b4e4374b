#pragma once
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::labs {

// [begin lab]
/// Disjoint sets of rows. A row's parent is a row of its set, at most as large; a root is its own
/// parent. Many threads call the members concurrently. Of the rows' parents, `memory` offers
///   load(row), store(row, parent),
///   compare_exchange(row, expected, parent): stores if it finds `expected`; returns what it found.
template <class Memory>
struct Sets {
  Memory memory;

  /// The root of a row's set.
  KOKKOS_FUNCTION LocalIndex find(LocalIndex row) const { return memory.load(row); }

  /// Joins the sets of two rows. Returns true for one caller of those that join the same two sets.
  KOKKOS_FUNCTION bool unite(LocalIndex a, LocalIndex b) const { return find(a) != find(b); }
};
// [end lab]

}  // namespace copse::labs
