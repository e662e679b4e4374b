#pragma once
/// \file
/// Linking by a range query for each particle in a kd-tree ([Wood 2014]
/// sections 3.3.2, 3.4.2, 4.4).
///
/// A query looks only at rows after its own, so each pair is tested once. The thesis stores one
/// particle at each node and cuts on it; here particles are in the leaves, which have boxes, and a
/// tree of limited depth ([Wood 2014] section 3.4.2) is one with larger leaves.

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

  /// Labels the problem's particles. O(n log n) for leaves of bounded size. Returns when the labels
  /// are written.
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  Workspace<MemorySpace> workspace_;
};

/// Particles in a leaf so that a tree of n has at most `max_depth` levels below its root, and at
/// least `bucket_size`. A depth of 0 is no limit.
std::uint32_t bucket_for_depth(Count n, std::uint32_t bucket_size, int max_depth);

}  // namespace copse::fof
