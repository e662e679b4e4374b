#pragma once
/// \file
/// Three versions of joining rows that links connect, by all threads of a backend at once.
///
/// Each leaves parent(i) as the smallest row of i's set. Version 2 is what `UnionFind` does
/// (common/copse/algorithms/union_find.hpp); version 3 asks it less often.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse::book {

/// Pairs of rows that belong together: row i and to(k), k in [per_row i, per_row (i + 1)).
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

/// How links are joined; what a version has, later ones have too.
enum class Joining {
  plain,      ///< 1: compare-and-swap of roots, paths as long as they grow
  shortened,  ///< 2: paths are split by everybody who walks them
  by_row,     ///< 3: a thread takes all links of a row, and keeps the root it has found
};

/// Fills `parent` ([rows]) from the links. Waits for the result.
template <class ExecutionSpace>
void join_links(const ExecutionSpace& space, Joining joining,
                const Links<typename ExecutionSpace::memory_space>& links,
                const Parents<typename ExecutionSpace::memory_space>& parent);

}  // namespace copse::book
