#pragma once
/// \file
/// Linking by testing all pairs, in tiles ([Wood 2014] sections 3.4.1 and 4.3; Nyland, Harris and
/// Prins 2007).
///
/// A team of threads takes as many particles, one a thread, and goes through those after them tile
/// by tile: the team brings a tile into scratch memory together, then each thread meets all of it.
/// On a host a vector of 16 lanes takes the place of the team and meets all later rows one by one:
/// each row that comes from a cache or memory serves 16 tests.
///
/// About n^2 / 2 tests of 11 flops, 20 in 6-D. From memory come 12 B (24 B) for each 256 tests on a
/// device, so arithmetic binds.

#include "../linker.hpp"

#include <Kokkos_Core.hpp>

namespace copse::fof {

template <class ExecutionSpace>
class BruteForceLinker {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit BruteForceLinker(const ExecutionSpace& space) : space_(space) {}

  /// Labels the problem's particles. O(n^2). Returns when the labels are written.
  void link(const LinkProblem<MemorySpace>& problem, const LinkOptions& options,
            const Labels<MemorySpace>& labels);

 private:
  ExecutionSpace space_;
};

}  // namespace copse::fof
