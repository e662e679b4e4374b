#pragma once
/// \file
/// Plummer's star cluster in equilibrium, G = M = a = 1.
///
/// Source: Aarseth, Henon, Wielen, "A comparison of numerical methods for the study of star cluster
/// dynamics" (A&A 37, 1974), appendix.

#include <copse/particles/models/model.hpp>

namespace copse::models {

/// Radii follow M(<r) = r^3 / (1 + r^2)^(3/2) cut at `truncation`; directions are isotropic. Speeds
/// follow the isotropic distribution function f(E) ~ (-E)^(7/2) of the untruncated model, so the
/// mean square speed at r is 1 / (2 sqrt(1 + r^2)). The box is the bounding cube of the cut sphere.
struct Plummer {
  std::uint64_t seed;
  double truncation;
  double mass_inside;  ///< M(<truncation)

  explicit Plummer(const GeneratorOptions& options)
      : seed(options.seed), truncation(options.model.plummer_truncation) {
    const double ratio = truncation / Kokkos::sqrt(1.0 + truncation * truncation);
    mass_inside = ratio * ratio * ratio;
  }

  static Box<3> box(const GeneratorOptions& options) {
    const Real r = static_cast<Real>(options.model.plummer_truncation);
    return {{-r, -r, -r}, {r, r, r}, {}};
  }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool with_velocity) const {
    RandomStream random(seed, RandomPurpose::position, i);
    const double root = portable::cbrt(random.next_pair()[0] * mass_inside);
    const double r = root / Kokkos::sqrt(1.0 - root * root);
    PhaseSpacePoint p;
    const Vector3 n = draw_direction(random);
    for (int a = 0; a < 3; ++a) p.position[a] = r * n[a];
    if (!with_velocity) return p;

    RandomStream speeds(seed, RandomPurpose::velocity, i);
    const double escape = Kokkos::sqrt(2.0 / Kokkos::sqrt(1.0 + r * r));
    const double v = escape * draw_speed(speeds);
    const Vector3 m = draw_direction(speeds);
    for (int a = 0; a < 3; ++a) p.velocity[a] = v * m[a];
    return p;
  }

  /// Speed over escape speed q, with density ~ q^2 (1 - q^2)^(7/2), by von Neumann's rejection
  /// below 0.1 (the maximum density is 0.092).
  KOKKOS_FUNCTION static double draw_speed(RandomStream& random) {
    for (;;) {
      const auto u = random.next_pair();
      const double q2 = u[0] * u[0];
      const double rest = 1.0 - q2;
      if (0.1 * u[1] < q2 * (rest * rest * rest) * Kokkos::sqrt(rest)) return u[0];
    }
  }
};

}  // namespace copse::models
