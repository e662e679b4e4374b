#pragma once
/// \file
/// Gravity by direct summation over all pairs, on the host in double: the reference for tree walks.

#include <copse/gravity/moments.hpp>
#include <copse/gravity/softening.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <vector>

namespace copse {

/// The softening of all pairs (softening.hpp).
struct Softening {
  SofteningKernel kernel = SofteningKernel::plummer;
  double length = 0.0;  ///< of every particle, unless there are `lengths`
  Kokkos::View<const Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> lengths{};  ///< [n] or empty
};

/// The field at each particle of `targets` due to all other particles, isolated (not periodic), G =
/// 1. As in the walks, particles at the same place do not act on each other, with any softening.
/// `masses` has one value per particle. O(targets * particles), divided among the host's threads;
/// the order of summation is fixed, so results do not depend on the thread count. Relative rounding
/// errors are about 1e-16 times the square root of the number of particles.
/// \throws InputError if there are lengths, but not one per particle
std::vector<GravityField<double>> direct_gravity(
    const Points<3, Kokkos::HostSpace>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses,
    std::span<const LocalIndex> targets, const Softening& softening);

/// The same with one Plummer length:
///   acceleration  sum of m d / (|d|^2 + softening^2)^(3/2)
///   potential    -sum of m / (|d|^2 + softening^2)^(1/2)
inline std::vector<GravityField<double>> direct_gravity(
    const Points<3, Kokkos::HostSpace>& points,
    const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses,
    std::span<const LocalIndex> targets, double softening) {
  return direct_gravity(points, masses, targets, Softening{.length = softening});
}

}  // namespace copse
