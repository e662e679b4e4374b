#pragma once
/// \file
/// Brings particles that left a periodic box back into it.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

namespace copse::fof {

/// Shifts coordinates on periodic axes by whole box lengths into [lower, upper]. What is inside
/// already keeps its bits, the upper face included. \return how many particles were shifted
template <class ExecutionSpace>
Count wrap_positions(const ExecutionSpace& space,
                     const Points<3, typename ExecutionSpace::memory_space>& position,
                     const Box<3>& box);

}  // namespace copse::fof
