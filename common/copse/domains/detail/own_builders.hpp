#pragma once
/// \file
/// What a rank finishes its own cells with (own_cells.hpp).

#include <copse/tree/orb_builder.hpp>
#include <copse/tree/weighted_orb.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// The builders of one rank, kept between builds. They exchange the handles they are given for
/// their own, so what they get must be no View into a workspace.
template <class ExecutionSpace>
struct OwnBuilders {
  using MemorySpace = typename ExecutionSpace::memory_space;
  OrbBuilder<ExecutionSpace> by_number;
  WeightedOrbBuilder<ExecutionSpace> by_weight;
  Points<3, MemorySpace> points = {};
  Kokkos::View<LocalIndex*, MemorySpace> permutation = {};
};

}  // namespace copse::detail
