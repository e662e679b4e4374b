#pragma once
/// \file
/// The forces between two particles, which end at a distance of contact.
///
/// A pull is the acceleration of a particle divided by the displacement to its partner; it is
/// negative where they repel each other. Pulls use only + - * / and sqrt, so they have the same
/// bits on every backend.

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace copse::collide {

enum class ForceKind : std::uint8_t { cs267, soft_sphere, lennard_jones };

/// Names on the command line, in the order of ForceKind.
inline constexpr std::array<const char*, 3> force_names{"cs267", "soft-sphere", "lennard-jones"};

/// `reach` is the distance of contact of a pair: the cutoff, times the mean of their relative
/// sizes.
///  - cs267: the repulsion (c / r - 1) / r of [Li, Scott, Twigg 2012], constant below c / 100.
///  - soft_sphere: a spring, (c - r) 2 E / c^2, with energy E of two coincident particles.
///  - lennard_jones: sigma = c / 2.5, shifted so that the potential is 0 at c.
struct Force {
  static constexpr double least_part = 0.01;  ///< of the reach, below which cs267 is constant
  static constexpr double reach_in_sigma = 2.5;

  ForceKind kind = ForceKind::cs267;
  double cutoff = 0.01;
  double mass = 0.01;
  double energy = 1.0;  ///< scale of the potential; cs267 has 1

  /// r2 <= reach^2.
  KOKKOS_FORCEINLINE_FUNCTION double pull(double r2, double reach) const {
    switch (kind) {
      case ForceKind::cs267: {
        const double least = least_part * reach;
        const double s2 = Kokkos::fmax(r2, least * least);
        const double r = Kokkos::sqrt(s2);
        return (1.0 - reach / r) / s2 / mass;
      }
      case ForceKind::soft_sphere: {
        if (r2 == 0.0) return 0.0;
        const double r = Kokkos::sqrt(r2);
        return -(2.0 * energy / (reach * reach)) * (reach / r - 1.0) / mass;
      }
      case ForceKind::lennard_jones:
        break;
    }
    return lennard_jones_pull(r2, reach);
  }

  /// Has no branches, so that loops over pairs become vectors, and one division for each pair.
  KOKKOS_FORCEINLINE_FUNCTION double lennard_jones_pull(double r2, double reach) const {
    const double sigma = reach / reach_in_sigma, strength = 24.0 * energy / mass;
    const double inverse = 1.0 / r2;
    const double s2 = sigma * sigma * inverse;
    const double s6 = s2 * s2 * s2;
    const double pull = strength * (s6 - 2.0 * s6 * s6) * inverse;
    return r2 == 0.0 ? 0.0 : pull;
  }

  /// Potential energy of the pair; 0 at the reach. Only for reports: the logarithm of cs267 has
  /// other bits on other backends.
  KOKKOS_INLINE_FUNCTION double potential(double r2, double reach) const {
    switch (kind) {
      case ForceKind::cs267: {
        const double least = least_part * reach;
        const double r = Kokkos::sqrt(Kokkos::fmax(r2, least * least));
        const double beyond = reach / r - 1.0 - Kokkos::log(reach / r);
        if (r2 >= least * least) return beyond;
        const double stiffness = (reach / least - 1.0) / (least * least);
        return beyond + 0.5 * stiffness * (least * least - r2);
      }
      case ForceKind::soft_sphere: {
        const double part = 1.0 - Kokkos::sqrt(r2) / reach;
        return energy * part * part;
      }
      case ForceKind::lennard_jones:
        break;
    }
    if (r2 == 0.0) return 0.0;
    const double sigma = reach / reach_in_sigma;
    const double s2 = sigma * sigma / r2;
    const double s6 = s2 * s2 * s2;
    constexpr double c2 = 1.0 / (reach_in_sigma * reach_in_sigma);
    constexpr double c6 = c2 * c2 * c2;
    return 4.0 * energy * ((s6 * s6 - s6) - (c6 * c6 - c6));
  }
};

}  // namespace copse::collide
