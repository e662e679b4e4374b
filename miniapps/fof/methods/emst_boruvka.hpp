#pragma once
/// \file
/// The Euclidean minimum spanning tree by Boruvka's algorithm in one tree of the particles, on any
/// backend, and friends-of-friends by it.
///
/// In each round every component finds the least edge that leaves it, and all these edges are
/// joined at once; components at least halve in number. The order of edges (tree_edge.hpp) leaves
/// no two of them equal, so joining them all closes no ring, and the tree is the same to the last
/// bit on every backend. Distances are those of `Friendship`: periodic, and in 6-D
/// |dx|^2 + (b / psi)^2 |dv|^2, a metric of six dimensions in which the tree is as much a minimum
/// spanning tree as in three.
///
/// Source: Boruvka 1926; March, Ram and Gray 2010 (the search in a tree, skipping one's own
/// component); Prokopenko, Sao and Lebrun-Grandie 2023, "A single-tree algorithm to compute the
/// Euclidean minimum spanning tree on GPUs" (limits from neighbours on the curve). The thesis has
/// the tree from a Delaunay triangulation instead (emst_delaunay.hpp).

#include "../linker.hpp"
#include "../mst/spanning_tree.hpp"
#include "boruvka_round.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Time O(n log n) a round for points that are not degenerate, and O(log n) rounds; after the first
/// one only particles search whose nearest outsider was joined and that may be their component's
/// best. Memory beside tree and labels, in single precision: 28 bytes a particle, 12 more in 6-D,
/// and 48 more while edges are sorted.
template <class ExecutionSpace>
class EmstBoruvkaLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit EmstBoruvkaLinker(const ExecutionSpace& space = {}) : space_(space), builder_(space) {}

  /// The labels of all particles, by the part of the tree below reach2 alone. Waits for the result.
  /// \throws InputError for 2^32 particles or more, and as BalancedTreeBuilder
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

  /// The whole tree, n - 1 edges in ascending order; reach2 does not matter. `cut_tree` and
  /// dendrogram.hpp read groups off it. Waits for the result.
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
