#pragma once
/// \file
/// Point coordinates in any dimension, the input of every tree.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Coordinates of n points: `points(i, axis)`, i < n. LayoutLeft keeps each axis one contiguous
/// column, so a kernel that reads one axis moves sizeof(Real) bytes a point and neighbouring
/// threads read neighbouring words.
template <int Dim, class MemorySpace>
using Points = Kokkos::View<Real* [Dim], Kokkos::LayoutLeft, MemorySpace>;

}  // namespace copse
