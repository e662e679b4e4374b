#pragma once
/// \file
/// Gravity by direct summation over all pairs, on the host in double: the reference for tree walks.

#include <copse/gravity/moments.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <vector>

namespace copse {

/// The field at each particle of `targets` due to all other particles, isolated (not periodic), G =
/// 1:
///   acceleration  sum of m d / (|d|^2 + softening^2)^(3/2)
///   potential    -sum of m / (|d|^2 + softening^2)^(1/2)
/// A particle does not act on itself, and without softening coincident particles do not act on each
/// other. `masses` has one value per particle. O(targets * particles), divided among the host's
/// threads; the order of summation is fixed, so results do not depend on the thread count. Relative
/// rounding errors are about 1e-16 times the square root of the number of particles.
std::vector<GravityField<double>> direct_gravity(
    const Points<3, Kokkos::HostSpace>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses,
    std::span<const LocalIndex> targets, double softening);

}  // namespace copse
