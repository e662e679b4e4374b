#pragma once
/// \file
/// The haloes of the `nfw` data set and the particles of each.
///
/// The catalogue is the reference for testing a halo finder. It is a pure function of the options,
/// so every rank builds all of it.

#include <copse/particles/generators.hpp>
#include <copse/particles/random_variates.hpp>

#include <vector>

namespace copse {

/// One halo with an NFW profile (Navarro, Frenk, White, ApJ 490, 1997) up to `radius`. Units: box
/// length, total mass of the box 1, G = 1.
struct Halo {
  Count first;           ///< the particles are rows [first, first + particles)
  Count particles;       ///< also the mass in units of the particle mass
  double radius;         ///< where the mean density inside is 200 times that of the box
  double concentration;  ///< radius over scale radius, 4 to 20
  Vector3 centre;        ///< uniform in the unit box
  Vector3 velocity;      ///< bulk velocity, normal with `bulk_dispersion` per axis
};

/// Dispersion per axis of the bulk velocities of haloes and of the background.
inline constexpr double bulk_dispersion = 0.1;

/// Haloes in the order of their rows. Sizes follow dn/dM ~ M^-s between `model.halo_smallest` and
/// `model.halo_largest`, drawn independently until the next halo would exceed `model.halo_fraction`
/// of all particles. O(haloes); by default a few hundred particles per halo and at most about 10^6
/// haloes.
/// \throws InputError under the same conditions as `generate`.
std::vector<Halo> halo_catalogue(const GeneratorOptions& options);

}  // namespace copse
