#pragma once
/// \file
/// Linking by one range query per particle in a kd-tree ([Wood 2014] sections 3.3.2, 3.4.2, 4.4).
///
/// A query tests only particles after its own in tree order, so each pair is tested once.
/// [Wood 2014] stores one particle per node and splits at it. Here the leaves hold the particles
/// and have bounding boxes. A tree of limited depth ([Wood 2014] section 3.4.2) is a tree with
/// larger leaves.

#include "../linker.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class ExecutionSpace>
class KdTreeLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit KdTreeLinker(const ExecutionSpace& space) : space_(space), builder_(space) {}

  /// Labels the particles of the problem. O(n log n) for leaves of bounded size. Returns when the
  /// labels are written.
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  Workspace<MemorySpace> workspace_;
};

/// The leaf size for which a tree of n particles has at most `max_depth` levels below its root, but
/// at least `bucket_size`. A depth of 0 means no limit.
std::uint32_t bucket_for_depth(Count n, std::uint32_t bucket_size, int max_depth);

}  // namespace copse::fof
