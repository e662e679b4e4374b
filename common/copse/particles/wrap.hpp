#pragma once
/// \file
/// Wraps particles outside a periodic box back into it.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Shifts coordinates, which must be finite, on periodic axes by whole box lengths into [lower,
/// upper]. Coordinates already inside, including those on the upper face, keep their bits. T is
/// float or double. O(n); waits for the result.
/// \return the number of shifted particles
template <class ExecutionSpace, class T>
Count wrap_positions(
    const ExecutionSpace& space,
    const Kokkos::View<T* [3], Kokkos::LayoutLeft, typename ExecutionSpace::memory_space>& position,
    const Box<3>& box);

}  // namespace copse
