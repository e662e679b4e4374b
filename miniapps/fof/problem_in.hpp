#pragma once
/// \file
/// Copies a linking problem from the host to the memory space of a backend.

#include "linker.hpp"

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// The problem in a memory space: a copy, or the same arrays if that is host memory. O(n).
template <class MemorySpace>
LinkProblem<MemorySpace> problem_in(const LinkProblem<Kokkos::HostSpace>& problem) {
  return {Kokkos::create_mirror_view_and_copy(MemorySpace{}, problem.position),
          Kokkos::create_mirror_view_and_copy(MemorySpace{}, problem.velocity), problem.friendship};
}

}  // namespace copse::fof
