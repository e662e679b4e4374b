#pragma once
/// \file
/// Walks of a tree that arrives in subtrees, without a record of where each query stopped
/// ([Liu 2019] sections 5.2 to 5.4).
///
/// A tree is divided into *cache subtrees* of a few levels. In the first walk only the root's
/// subtree is present. The walk stops at nodes whose children are missing, and marks those that a
/// query would open (the "leaves state array" of figure 5.3). Their subtrees arrive together. Then
/// *every* query tests the root of each of them. A query that opens the root continues below it.
/// Another query adds nothing, because it has already added that node or one of its ancestors.
///
/// A query that opens the root must not have added one of its ancestors. The inclusion condition
/// (gravity/inclusion.hpp) guarantees this. Without it a query may accept a node, open a subtree's
/// root below it, and add masses twice. This walk exists to show and to count that. PartialWalk
/// (partial_walk.hpp) keeps pairs of packet and node and adds everything once.

#include <copse/backend/relaxed_access.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// Where the children of a node are.
enum class Below : std::uint8_t {
  here,     ///< in the same subtree as the node, or the node is a leaf
  missing,  ///< the node is the root of a subtree that has not arrived
  wanted,   ///< the same, and a query would open it
  arrived   ///< the subtree arrived for the walk that follows
};

/// All packets begin at each of the same nodes, and add to their results.
template <class MemorySpace>
struct FromNodes {
  static constexpr bool resumes = true;
  static constexpr bool at_root = false;

  Kokkos::View<const LocalIndex*, MemorySpace> nodes;

  KOKKOS_FORCEINLINE_FUNCTION Segment entries_of(Count) const { return {0, nodes.extent(0)}; }
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION MaskedNode entry(const Tree&, Count e) const {
    return {nodes(e), ~std::uint32_t{0}};
  }
};

/// A tree in cache subtrees. The root's subtree holds the nodes of depths 0 to `levels`. The root
/// of another subtree is an inner node at a depth divisible by `levels`; the subtree holds the
/// `levels` depths below it. Leaves contain their particles.
template <class ExecutionSpace>
class CacheSubtrees {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using States = Kokkos::View<std::uint8_t*, MemorySpace>;  ///< [nodes], values of Below

  /// `tree` must outlive this. \throws InputError if `levels` is 0
  CacheSubtrees(const ExecutionSpace& space, const Octree<MemorySpace>& tree, Count levels);

  const States& states() const { return states_; }
  /// Makes all subtrees but the root's missing.
  void forget();
  /// The roots of the subtrees that the last walk marked, ascending; these subtrees are now
  /// present. Valid until the next call.
  Kokkos::View<const LocalIndex*, MemorySpace> receive();

  Count subtrees() const { return subtrees_; }  ///< of the whole tree, including the root's

 private:
  ExecutionSpace space_;
  const Octree<MemorySpace>& tree_;
  Count levels_;
  Count subtrees_ = 1;
  States states_;
  Kokkos::View<LocalIndex*, MemorySpace> arrived_;  ///< [subtrees]
};

/// A visitor that stops at missing subtrees. It may open the root of a subtree that has arrived but
/// does not accept it again.
template <class Visitor, class MemorySpace>
struct StatelessVisitor : Visitor {
  Kokkos::View<std::uint8_t*, MemorySpace> below;

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(typename Visitor::template State<L>& state, Node node,
                                          typename L::Mask mask) const {
    if (state_of(node) != Below::arrived) Visitor::template accept<L>(state, node, mask);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_missing(Node node) const {
    const Below state = state_of(node);
    return state == Below::missing || state == Below::wanted;
  }
  KOKKOS_FORCEINLINE_FUNCTION void missing(Count, Node node, std::uint32_t) const {
    relaxed_store(&below(node), static_cast<std::uint8_t>(Below::wanted));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Below state_of(Node node) const {
    return static_cast<Below>(relaxed_load(&below(node)));
  }
};

/// Walks all targets from the root, then from the roots of the subtrees that arrive, until no query
/// would open a missing node. \return the sum of the counts of all walks; each walk counts all
/// packets
template <WalkKind Kind, class ExecutionSpace, class Visitor, class Targets>
WalkCounters count_stateless_walk(const ExecutionSpace& space, const Visitor& visitor,
                                  const Targets& targets, CacheSubtrees<ExecutionSpace>& subtrees) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const StatelessVisitor<Visitor, MemorySpace> stateless{visitor, subtrees.states()};
  subtrees.forget();
  WalkCounters sum = count_walk_as<Kind>(space, stateless, targets);
  for (;;) {
    const FromNodes<MemorySpace> arrived{subtrees.receive()};
    if (arrived.nodes.extent(0) == 0) return sum;
    sum += count_walk_as<Kind>(space, stateless, targets, arrived);
  }
}

}  // namespace copse
