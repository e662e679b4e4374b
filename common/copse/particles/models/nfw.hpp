#pragma once
/// \file
/// Dark-matter haloes in a uniform background, the typical input of a friends-of-friends finder.

#include <copse/particles/halo_catalogue.hpp>
#include <copse/particles/models/model.hpp>

namespace copse::models {

/// Rows are ordered by halo, in catalogue order, and end with the background, uniform in the
/// periodic unit box. Radii in a halo follow the NFW mass profile; positions are wrapped into the
/// box. Velocities are the bulk velocity of the halo plus an isotropic normal one of variance
/// sigma^2 = M(<r) / (2 r) per axis, half the squared circular speed; the background has the
/// dispersion of the bulk velocities.
///
/// The halo of a particle is found by bisection over the catalogue, in O(log haloes).
template <class MemorySpace>
struct Nfw {
  std::uint64_t seed;
  Count particles;
  Kokkos::View<const Halo*, MemorySpace> haloes;

  explicit Nfw(const GeneratorOptions& options) : seed(options.seed), particles(options.particles) {
    const std::vector<Halo> catalogue = halo_catalogue(options);
    const Kokkos::View<const Halo*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> on_host(
        catalogue.data(), catalogue.size());
    Kokkos::View<Halo*, MemorySpace> copy(
        Kokkos::view_alloc("copse::particles::haloes", Kokkos::WithoutInitializing),
        catalogue.size());
    Kokkos::deep_copy(copy, on_host);
    haloes = copy;
  }

  static Box<3> box(const GeneratorOptions&) { return unit_box<3>(true); }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool with_velocity) const {
    RandomStream random(seed, RandomPurpose::position, i);
    RandomStream speeds(seed, RandomPurpose::velocity, i);
    const std::size_t h = last_halo_from(i);
    if (h == haloes.extent(0) || i >= haloes(h).first + haloes(h).particles) {
      PhaseSpacePoint p{random.next_triple(), {}};
      if (with_velocity) add_scaled(p.velocity, bulk_dispersion, draw_normal(speeds));
      return p;
    }
    const Halo& halo = haloes(h);
    const double x = draw_radius(random, halo.concentration);
    PhaseSpacePoint p{halo.centre, halo.velocity};
    add_scaled(p.position, x * halo.radius / halo.concentration, draw_direction(random));
    for (double& coordinate : p.position) coordinate -= Kokkos::floor(coordinate);
    if (with_velocity) add_scaled(p.velocity, dispersion(halo, x), draw_normal(speeds));
    return p;
  }

  /// The last halo whose first row is at most i; the number of haloes if there is none.
  KOKKOS_FUNCTION std::size_t last_halo_from(GlobalId i) const {
    std::size_t begin = 0;
    std::size_t end = haloes.extent(0);
    if (end == 0) return end;
    while (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      (haloes(middle).first <= i ? begin : end) = middle;
    }
    return begin;
  }

  /// Radius over scale radius, with density ~ x / (1 + x)^2 on (0, c), by rejection below its
  /// maximum of 1/4 at x = 1 (needs no logarithm; 1.6 to 2.4 trials on average).
  KOKKOS_FUNCTION static double draw_radius(RandomStream& random, double concentration) {
    for (;;) {
      const auto u = random.next_pair();
      const double x = concentration * u[0];
      if (0.25 * u[1] * ((1.0 + x) * (1.0 + x)) < x) return x;
    }
  }

  /// ln(1 + x) - x / (1 + x), the NFW mass inside x scale radii. Near 0 the two terms cancel, so
  /// the series is summed there.
  KOKKOS_FUNCTION static double mass_inside(double x) {
    if (x < 0.01)
      return x * x * (1.0 / 2 - x * (2.0 / 3 - x * (3.0 / 4 - x * (4.0 / 5 - x * (5.0 / 6)))));
    return portable::log(1.0 + x) - x / (1.0 + x);
  }

  KOKKOS_FUNCTION double dispersion(const Halo& halo, double x) const {
    const double mass = static_cast<double>(halo.particles) / static_cast<double>(particles);
    const double inside = mass * mass_inside(x) / mass_inside(halo.concentration);
    const double r = x * halo.radius / halo.concentration;
    return Kokkos::sqrt(0.5 * inside / r);
  }
};

}  // namespace copse::models
