#pragma once
/// \file
/// Three versions of joining rows that are connected by links, concurrently on all threads of a
/// backend.
///
/// Each version sets parent(i) to the smallest row of i's set. Version 2 is the method of
/// `UnionFind` (common/copse/algorithms/union_find.hpp); version 3 calls it less often.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::book {

/// Pairs of rows of one set: row i and to(k), k in [per_row i, per_row (i + 1)).
template <class MemorySpace>
struct Links {
  Count per_row = 0;
  Kokkos::View<const LocalIndex*, MemorySpace> to{};  ///< [rows * per_row]

  KOKKOS_FUNCTION LocalIndex from(Count link) const {
    return static_cast<LocalIndex>(link / per_row);
  }
};

template <class MemorySpace>
using Parents = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// How links are joined; each version includes the improvements of the earlier ones.
enum class Joining {
  plain,      ///< 1: compare-and-swap of roots, paths are never shortened
  shortened,  ///< 2: every thread splits the paths that it climbs
  by_row,     ///< 3: a thread joins all links of a row and keeps its root
};

/// Fills `parent` ([rows]) from the links. Waits for the result.
template <class ExecutionSpace>
void join_links(const ExecutionSpace& space, Joining joining,
                const Links<typename ExecutionSpace::memory_space>& links,
                const Parents<typename ExecutionSpace::memory_space>& parent);

}  // namespace copse::book
