#pragma once
/// \file
/// Gravity by direct summation in double on any backend, isolated or periodic: the reference for
/// the errors of walks.

#include <copse/gravity/moments.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// The sources: n bodies, their softening, and their box.
template <class MemorySpace>
struct GravitySources {
  Kokkos::View<const Monopole*, MemorySpace> bodies;  ///< [n]
  double softening2 = 0.0;  ///< square of the Plummer length, without spline lengths
  Kokkos::View<const Real*, Kokkos::LayoutLeft, MemorySpace> lengths{};  ///< [n] spline, or empty
  double side = 0.0;  ///< of the periodic cube (ewald.hpp); 0: isolated
};

/// The splitting length of a periodic sum is L / `screening`. The result does not depend on it
/// within the neglected terms, whose size is 1e-11 of m / L for the default.
inline constexpr double exact_screening = 5.0;

/// Fields at the bodies `rows`, [rows][x, y, z, potential], G = 1. A body does not act on itself,
/// but its images do; bodies at zero distance do not act on each other. Softening acts between a
/// target and the 27 near images. Positions in a periodic box must lie in it. One team per target:
/// O(rows * n), and in periodic boxes O(1000 (rows + n)) sines and cosines. Returns when the work
/// is done.
template <class ExecutionSpace>
Kokkos::View<double* [4], Kokkos::LayoutRight, typename ExecutionSpace::memory_space> exact_gravity(
    const ExecutionSpace& space,
    const GravitySources<typename ExecutionSpace::memory_space>& sources,
    const Kokkos::View<const LocalIndex*, typename ExecutionSpace::memory_space>& rows,
    double screening = exact_screening);

}  // namespace copse
