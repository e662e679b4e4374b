#pragma once
/// \file
/// The top of the tree of all ranks, with its moments: every rank has the same.
///
/// Invariants
///  - Node i is node i of the coarse tree. Its moments and opening radius are those that one rank
///    would compute, bit by bit: the owner of a coarse leaf sends its sums in double, and every
///    rank adds children in curve order. The owner also sends the leaf's enlarged radius
///    (`--inclusion`), and every rank enlarges those above.
///  - `boxes` and `leaf_nodes` list the coarse leaves by owner, those of one owner in curve order;
///    rank r has [rank_begin[r], rank_begin[r + 1]).

#include "../body_tree.hpp"
#include <copse/domains/coarse_octree.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::gravity {

template <class MemorySpace>
struct TopTree {
  Octree<MemorySpace> octree;  ///< rows of a node: [0, bodies of all ranks)
  AnyMultipoles<MemorySpace> moments;
  GravityTree<MemorySpace> gravity;
  Kokkos::View<TargetBox*, MemorySpace> boxes;           ///< [leaves] of all bodies below
  Kokkos::View<std::uint32_t*, MemorySpace> leaf_nodes;  ///< [leaves]
  /// [leaves] 1 for a coarse leaf that is a leaf of the whole tree
  Kokkos::View<std::uint8_t*, MemorySpace> is_leaf;
  std::vector<Count> rank_begin;  ///< [ranks + 1]
  Count leaf_bytes = 0;           ///< of a coarse leaf's message
};

/// Computes the top's moments and radii from those of the coarse leaves of all ranks, which are the
/// roots of the forest `own`, in curve order. `builder` computed the moments of `own`. Collective:
/// one message of 100 to 400 bytes for each coarse leaf to every rank.
/// \param owners of the coarse leaves, in curve order \param has_limits on any rank
template <class ExecutionSpace>
void share_top(const ExecutionSpace& space, const CoarseOctree& coarse,
               const std::vector<int>& owners, const Request& request, bool has_limits,
               BodyTreeBuilder<ExecutionSpace>& builder,
               const BodyTree<typename ExecutionSpace::memory_space>& own,
               CountedMessages& messages,
               Workspace<typename ExecutionSpace::memory_space>& workspace,
               TopTree<typename ExecutionSpace::memory_space>& into);

}  // namespace copse::gravity
