#pragma once
/// \file
/// Linking by pairs of leaves, the default method. Particles are sorted along a Hilbert curve.
/// Leaves of one packet width are linked internally, then each leaf is tested against the leaves
/// after it that are within reach.
///
/// Bytes per particle in addition to the input and the label, in single precision, kept between
/// calls: 12 keys and 4 permutation (twice while sorting), 12 positions, and for leaves of W
/// particles 2 / W to 4 / W node bounds of 24. Velocities, parents and smallest indices take the
/// memory of the keys.

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

  /// Labels the particles of the problem. O(n log n). Returns when the labels are written.
  /// \throws InputError if a leaf does not fit into a packet
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  BoxTree<3, MemorySpace> tree_;  ///< of the last call; the next call reuses its arrays
  Workspace<MemorySpace> workspace_;
};

}  // namespace copse::fof
