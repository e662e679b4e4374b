#pragma once
/// \file
/// Gravity by direct summation over all pairs, on the host in double: what tree walks are checked
/// against.

#include <copse/gravity/moments.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <vector>

namespace copse {

/// The field at each of the rows `targets` due to all other rows, isolated (not periodic), G = 1:
///   acceleration  sum of m d / (|d|^2 + softening^2)^(3/2)
///   potential    -sum of m / (|d|^2 + softening^2)^(1/2)
/// A row does not act on itself, and without softening coincident rows do not act on each other.
/// `masses` has a value a point. Work O(targets * points), shared by the host's threads; sums run
/// in a fixed order, so results do not depend on their number. Relative rounding errors are about
/// 1e-16 times the square root of the number of points.
std::vector<GravityField<double>> direct_gravity(
    const Points<3, Kokkos::HostSpace>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses,
    std::span<const LocalIndex> targets, double softening);

}  // namespace copse
