#pragma once
/// \file
/// The top of the octree (or binary tree) of the particles of all ranks, known on every rank.
///
/// Invariants
///  - Its nodes are the first nodes of the tree that one rank would build of all particles: a node
///    with more than `most` particles that are not all in one finest cell is split, every other is
///    a *coarse leaf*. Coarse leaves together hold every particle, in the order of the curve. As
///    long as `most` is at least the bucket size, every coarse leaf is a node of the tree.
///  - It depends on the particles and the limit alone, not on who holds them or on how many ranks
///    there are, and is bitwise the same on every rank.
///  - A coarse leaf belongs to one rank. So every node below it is built by one rank, from all its
///    particles, exactly as one rank would build it (OctreeBuilder::build_forest).
///
/// Cost: two reductions for each depth, at most 22, of 32 bytes for each part of a node that is
/// split. The tree is replicated: about 2 N / most nodes of 56 bytes.

#include <copse/algorithms/workspace.hpp>
#include <copse/domains/counted_messages.hpp>
#include <copse/tree/octree_builder.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace copse {

struct CoarseNode {
  std::uint64_t first_key = 0, last_key = 0;  ///< smallest and largest key of its particles
  std::uint64_t inside = 0;                   ///< Morton key of the finest cell of one of them
  Count particles = 0;                        ///< of all ranks
  std::uint32_t first_child = 0;
  std::uint8_t child_count = 0;
  std::uint8_t level = 0;

  bool is_leaf() const { return child_count == 0; }
};

struct CoarseOctree {
  std::vector<CoarseNode> nodes;             ///< breadth first, children in curve order
  std::vector<std::uint32_t> depth_begin;    ///< [depths + 1]
  std::vector<std::uint32_t> leaves;         ///< the nodes that are coarse leaves, in curve order
  std::vector<std::uint64_t> leaf_last_key;  ///< [leaves] ascending
  CurveGrid<3> grid;
  int bits = 3;  ///< of a digit of the keys: 3 in an octree, 1 in a binary tree

  OctreeCell cell_of(const CoarseNode& node) const;
};

/// The sorted keys of this rank's particles (OctreeBuilder::sorted_keys), and a finest cell for
/// each of them.
template <class MemorySpace>
struct KeyedParticles {
  Kokkos::View<const std::uint64_t*, MemorySpace> keys;  ///< [n] ascending
  Kokkos::View<const LocalIndex*, MemorySpace> order;    ///< [n] row of the i-th key
  Points<3, MemorySpace> points;                         ///< [n] in rows
};

/// Builds the coarse tree of the particles of all ranks, at least one. Collective. `options` say
/// what the keys are: curve, branching and box.
template <class ExecutionSpace>
CoarseOctree build_coarse_octree(const ExecutionSpace& space,
                                 const KeyedParticles<typename ExecutionSpace::memory_space>& own,
                                 const OctreeOptions& options, Count most,
                                 CountedMessages& messages,
                                 Workspace<typename ExecutionSpace::memory_space>& workspace);

/// The owner of every coarse leaf: an ORB over the centres of their cells with one domain for each
/// rank, by weight. `weights` are positive; those of equal size cut by number. Ranks may own
/// nothing. The same on every rank; O(leaves log ranks), on the host.
std::vector<int> owners_of_leaves(const CoarseOctree& tree, const Box<3>& box,
                                  std::span<const double> weights, int ranks);

}  // namespace copse
