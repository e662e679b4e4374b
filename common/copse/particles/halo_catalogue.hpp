#pragma once
/// \file
/// The haloes of the `nfw` data set: which there are, and which particles each holds.
///
/// The catalogue is the truth a halo finder can be held against. It is a pure function of the
/// options, so every rank builds the whole of it.

#include <copse/particles/generators.hpp>
#include <copse/particles/random_variates.hpp>

#include <vector>

namespace copse {

/// One halo with an NFW profile (Navarro, Frenk, White, ApJ 490, 1997) out to `radius`. Units: box
/// length, total mass of the box 1, G = 1.
struct Halo {
  Count first;           ///< its particles are rows [first, first + particles)
  Count particles;       ///< its mass in units of the particle mass
  double radius;         ///< where the mean density inside is 200 times that of the box
  double concentration;  ///< radius over scale radius, 4 to 20
  Vector3 centre;        ///< uniform in the unit box
  Vector3 velocity;      ///< bulk velocity, normal with `bulk_dispersion` an axis
};

/// Dispersion per axis of the bulk velocities of haloes and of the background.
inline constexpr double bulk_dispersion = 0.1;

/// Haloes in the order of their rows. Their sizes follow dn/dM ~ M^-s between
/// `model.halo_smallest` and `model.halo_largest`, independently, until the next one would exceed
/// `model.halo_fraction` of all particles. O(haloes); a few hundred particles a halo by default and
/// at most some 10^6 haloes.
/// \throws InputError as `generate` does.
std::vector<Halo> halo_catalogue(const GeneratorOptions& options);

}  // namespace copse
