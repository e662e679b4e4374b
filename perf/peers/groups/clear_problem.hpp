#pragma once
/// \file
/// Particles and a linking length for which every correct program finds the same groups.
///
/// Programs round distances differently, and some link pairs at exactly the linking length. Here
/// positions are multiples of a power of two, h, such that the linking length is 256 h to 512 h.
/// Differences of coordinates and squares of distances up to the linking length are then exact in
/// single precision, multiples of h^2, and the square of the linking length is half of h^2 away
/// from the nearest of them: a relative distance of 10^-6, above the rounding of any formula.

#include <copse/backend/types.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

namespace copse::peers {

struct ClearProblem {
  Points<3, Kokkos::HostSpace> position;  ///< [n][3]
  Real length = 0;                        ///< pairs closer than this are friends
};

/// Moves each coordinate of the particles to the nearest multiple of h, by at most a 512th of the
/// linking length, and chooses the length next to `wanted` that no distance is near. The box grows
/// where a particle has left it. O(n)
/// \throws InputError if coordinates are so large that multiples of h are not exact
ClearProblem clear_problem(Particles<Kokkos::HostSpace>& particles, double wanted);

}  // namespace copse::peers
