#pragma once
/// \file
/// Linking by pairs of leaves, the default: particles are sorted along a Hilbert curve, leaves of
/// one packet's rows are linked within, then each leaf meets the leaves after it that are near.
///
/// Bytes a particle beside the input and the label, in single precision, kept from call to call:
/// 8 keys and 4 permutation (twice while sorting), 12 positions, 12 velocities in 6-D, 4 parents,
/// 4 smallest rows, and for leaves of W rows 2 / W to 4 / W bounds of nodes of 24.

#include "../linker.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class ExecutionSpace>
class LeafPairsLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit LeafPairsLinker(const ExecutionSpace& space) : space_(space), builder_(space) {}

  /// Labels the problem's particles. O(n log n). Returns when the labels are written.
  /// \throws InputError for leaves that do not fit into packets
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  BoxTree<3, MemorySpace> tree_;  ///< of the last call, whose arrays the next one takes
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse::fof
