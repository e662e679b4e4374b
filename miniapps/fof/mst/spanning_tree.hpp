#pragma once
/// \file
/// Minimum spanning trees and the friends-of-friends groups they contain ([Wood 2014] section
/// 3.3.1).
///
/// Two particles are in one group for a linking length b exactly if the edges of the minimum
/// spanning tree shorter than b connect them: no edge on their tree path is longer than the longest
/// step of any other path between them. One tree therefore holds the groups of every b.

#include "../linker.hpp"
#include "tree_edge.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// The edges of a minimum spanning tree in ascending order: n - 1 for n > 0 particles, fewer if the
/// search was limited to edges below a reach (a forest).
template <class MemorySpace>
using SpanningTree = Kokkos::View<TreeEdge*, Kokkos::LayoutLeft, MemorySpace>;

/// The edges in ascending order, in a new View. O(n); waits for the result.
template <class ExecutionSpace>
SpanningTree<typename ExecutionSpace::memory_space> sorted_edges(
    const ExecutionSpace& space, const SpanningTree<typename ExecutionSpace::memory_space>& edges,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

/// Labels of the groups connected by edges with distance2 < reach2. `labels` has one entry per
/// particle. O(n); waits for the result.
template <class ExecutionSpace>
void cut_tree(const ExecutionSpace& space,
              const SpanningTree<typename ExecutionSpace::memory_space>& edges, Real reach2,
              const Labels<typename ExecutionSpace::memory_space>& labels);

#define COPSE_DECLARE_SPANNING_TREE(ExecutionSpace)                                      \
  extern template SpanningTree<ExecutionSpace::memory_space> sorted_edges(               \
      const ExecutionSpace&, const SpanningTree<ExecutionSpace::memory_space>&,          \
      Workspace<ExecutionSpace::memory_space>&);                                         \
  extern template void cut_tree(const ExecutionSpace&,                                   \
                                const SpanningTree<ExecutionSpace::memory_space>&, Real, \
                                const Labels<ExecutionSpace::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_SPANNING_TREE)
#undef COPSE_DECLARE_SPANNING_TREE

}  // namespace copse::fof
