#pragma once
/// \file
/// The Euclidean minimum spanning tree by Boruvka's algorithm with a single tree over the
/// particles, on any backend, and friends-of-friends groups from it.
///
/// In each round every component finds its shortest edge to another component, and all these edges
/// are added at once; the number of components at least halves. The order of edges (tree_edge.hpp)
/// has no ties, so adding them all creates no cycle, and the spanning tree is the same to the last
/// bit on every backend. Distances are those of `Friendship`: periodic, and in 6-D |dx|^2 + (b /
/// psi)^2 |dv|^2, a metric in six dimensions in which the result is a minimum spanning tree as
/// well.
///
/// Source: Boruvka 1926; March, Ram and Gray 2010 (tree search that skips the own component);
/// Prokopenko, Sao and Lebrun-Grandie 2023, "A single-tree algorithm to compute the Euclidean
/// minimum spanning tree on GPUs" (bounds from neighbours on the curve). [Wood 2014] computes the
/// tree from a Delaunay triangulation instead (emst_delaunay.hpp).

#include "../linker.hpp"
#include "../mst/spanning_tree.hpp"
#include "boruvka_round.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// O(n log n) per round for non-degenerate particles, and O(log n) rounds. After the first round a
/// particle searches only if its nearest outsider has joined its component and it may have the
/// component's best edge. Memory in addition to tree and labels, in single precision: 28 bytes per
/// particle, 12 more in 6-D, and 48 more while edges are sorted.
template <class ExecutionSpace>
class EmstBoruvkaLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit EmstBoruvkaLinker(const ExecutionSpace& space = {}) : space_(space), builder_(space) {}

  /// Labels all particles, using only tree edges below reach2. Waits for the result.
  /// \throws InputError for 2^32 particles or more, and as BalancedTreeBuilder
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

  /// The whole tree, n - 1 edges in ascending order, independent of reach2. `cut_tree` and
  /// dendrogram.hpp derive groups from it. Waits for the result.
  /// \throws InputError as link
  SpanningTree<MemorySpace> spanning_tree(const LinkProblem<MemorySpace>& problem,
                                          const LinkOptions& options);

 private:
  BoruvkaRound<MemorySpace> begin(const LinkProblem<MemorySpace>& problem,
                                  const LinkOptions& options, const Labels<MemorySpace>& labels);
  Count run_rounds(const BoruvkaRound<MemorySpace>& round, Real farthest,
                   const SpanningTree<MemorySpace>& edges);
  void find_node_components(const BoruvkaRound<MemorySpace>& round);
  void search(const BoruvkaRound<MemorySpace>& round);

  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  Workspace<MemorySpace> workspace_;
};

#define COPSE_DECLARE_EMST_BORUVKA(ExecutionSpace) \
  extern template class EmstBoruvkaLinker<ExecutionSpace>;
COPSE_FOR_EACH_BACKEND(COPSE_DECLARE_EMST_BORUVKA)
#undef COPSE_DECLARE_EMST_BORUVKA

}  // namespace copse::fof
