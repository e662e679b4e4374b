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
/// Cost: two reductions for each depth, at most 22 (64 in a binary tree), of 32 bytes for each part
/// of a node that is split. The tree is replicated: about 2 N / most nodes of 40 bytes, and 12 more
/// for a leaf.

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

/// The sorted keys of this rank's particles (OctreeBuilder::sorted_keys), and the particles
/// themselves.
template <class MemorySpace>
struct KeyedParticles {
  Kokkos::View<const std::uint64_t*, MemorySpace> keys;  ///< [n] ascending
  Kokkos::View<const LocalIndex*, MemorySpace> order;    ///< [n] row of the i-th key
  Points<3, MemorySpace> points;                         ///< [n] in rows
};

/// Builds the coarse tree of the particles of all ranks, of which there must be at least one.
/// `options` define the keys: curve, branching and box. Collective.
template <class ExecutionSpace>
CoarseOctree build_coarse_octree(const ExecutionSpace& space,
                                 const KeyedParticles<typename ExecutionSpace::memory_space>& own,
                                 const OctreeOptions& options, Count most,
                                 CountedMessages& messages,
                                 Workspace<typename ExecutionSpace::memory_space>& workspace);

/// The owner of every coarse leaf, by an ORB of the leaves' centres with one domain per rank.
/// `weights` [leaves] are positive; equal weights balance the number of leaves. Ranks may own
/// nothing. The same on every rank; O(leaves log ranks), on the host.
std::vector<int> owners_of_leaves(const CoarseOctree& tree, const Box<3>& box,
                                  std::span<const double> weights, int ranks);

}  // namespace copse
