#pragma once
/// \file
/// The radial distribution function g(r) of a state: how many pairs have a distance near r, over
/// how many they would be if particles were placed independently and uniformly.
///
/// Pairs are found by the search of the reference, on the host. In a periodic region a particle's
/// shell of radius r has the volume of the whole shell. With walls a part of it is outside, and the
/// mean part inside is known exactly: the displacement of two uniform points has the density
/// prod_a (side_a - |d_a|) / side_a^2.

#include "state.hpp"
#include <copse/backend/mpi/communicator.hpp>

#include <vector>

namespace copse::collide {

struct RadialDistribution {
  std::vector<double> edges;  ///< [bins + 1], from 0
  std::vector<Count> pairs;   ///< [bins], each pair counted once
  std::vector<double> g;      ///< [bins]; 0 for less than two particles
};

/// The largest distance that g(r) may have: the shortest side, or half of it if it is periodic.
template <int D>
double largest_range(const Region<D>& region);

/// The probability that two uniform points of the region are at most `r` <= largest_range apart.
template <int D>
double uniform_within(const Region<D>& region, double r);

/// Of the particles of all ranks. A rank passes its own, in any order, and as ghosts those of other
/// ranks within `range` of them (distributed/distribution.hpp). Counts do not depend on the number
/// of ranks. O(n^1.5) in two dimensions for a constant density and range. Memory: 24 bytes per
/// pair within `range`. Collective.
template <int D>
RadialDistribution radial_distribution(const Communicator& comm,
                                       const State<D, Kokkos::HostSpace>& state,
                                       const Region<D>& region, double range, Count bins);

}  // namespace copse::collide
