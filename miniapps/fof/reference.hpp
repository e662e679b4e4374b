#pragma once
/// \file
/// Groups of friends found in another way, to compare with: a flood fill over a grid of cells on
/// one thread of the host, without trees, sets or vectors.

#include "linker.hpp"
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

/// The label of each particle (see Labels). `box` holds all positions. O(n + pairs of neighbouring
/// cells); shares with the methods the definition in friendship.hpp, written down once more.
std::vector<LocalIndex> reference_labels(const LinkProblem<Kokkos::HostSpace>& problem,
                                         const Box<3>& box);

}  // namespace copse::fof
