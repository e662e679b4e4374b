#pragma once
/// \file
/// Point coordinates in any dimension, the input of every tree.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Coordinates of n points: `points(i, axis)`, i < n. LayoutLeft makes each axis one contiguous
/// column, so a kernel that reads one axis moves sizeof(Real) bytes per point and its accesses
/// coalesce.
template <int Dim, class MemorySpace>
using Points = Kokkos::View<Real* [Dim], Kokkos::LayoutLeft, MemorySpace>;

}  // namespace copse
