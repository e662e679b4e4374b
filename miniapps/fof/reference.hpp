#pragma once
/// \file
/// Reference groups for tests, spanning trees and groups within groups: a flood fill over a grid of
/// cells on one host thread. It uses no tree, no disjoint sets and no SIMD.

#include "linker.hpp"
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// The label of each particle (see Labels). `box` contains all positions. O(n + pairs in
/// neighbouring cells). Implements the criterion of friendship.hpp independently of the methods.
std::vector<LocalIndex> reference_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                                         const Box<3>& box);

}  // namespace copse::fof
