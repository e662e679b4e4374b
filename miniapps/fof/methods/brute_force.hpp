#pragma once
/// \file
/// Linking by testing all pairs, in tiles ([Wood 2014] sections 3.4.1 and 4.3; Nyland, Harris and
/// Prins 2007).
///
/// A team of threads takes one particle per thread and loops over tiles of the particles after
/// them. The team loads a tile into scratch memory, then each thread tests its particle against the
/// whole tile. On a host, a SIMD vector of 16 lanes replaces the team and is tested against each
/// later particle in turn: one particle loaded from cache or memory serves 16 tests.
///
/// About n^2 / 2 tests of 11 flops, 21 in 6-D. A device loads 12 B (24 B) from memory per 256
/// tests, so the kernel is compute bound.

#include "../linker.hpp"

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class ExecutionSpace>
class BruteForceLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BruteForceLinker(const ExecutionSpace& space) : space_(space) {}

  /// Labels the particles of the problem. O(n^2). Returns when the labels are written.
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
};

}  // namespace copse::fof
