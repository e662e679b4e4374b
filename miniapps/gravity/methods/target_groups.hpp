#pragma once
/// \file
/// Targets in groups that walk together: neighbours along the curve below one node of the tree.
///
/// The curve jumps where it leaves a large node, and few active bodies are far apart. A group on
/// both sides of a jump would have a box that meets most bodies, and one such group on a warp of a
/// device takes longer than all others together (docs/gravity.md). So a group's targets are always
/// below one node that is a leaf or has few bodies.

#include "../body_tree.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

namespace copse::gravity {

template <class ExecutionSpace>
class TargetGroups {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit TargetGroups(const ExecutionSpace& space) : space_(space) {}

  /// Groups of up to `width` targets of the largest nodes with at most `most` bodies, or with
  /// `most` = 0 of the leaves; in tree order, without overlap; together they hold every target.
  /// Made once for a build of the tree and a number of targets; valid until the next call.
  /// O(targets + nodes log targets), some 10 bytes per target.
  const BucketList<MemorySpace>& of(const BodyTree<MemorySpace>& bodies, int width, Count most);

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  BucketList<MemorySpace> groups_;
  Count build_ = 0;
};

}  // namespace copse::gravity
