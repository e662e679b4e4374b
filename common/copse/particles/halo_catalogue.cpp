#include <copse/particles/halo_catalogue.hpp>

#include <algorithm>

namespace copse {
namespace {

/// Inverse of the cumulative distribution of dn/dM ~ M^-slope on [least, most], slope > 1.
double power_law(double u, double least, double most, double slope) {
  const double exponent = 1.0 - slope;
  const double at_least = portable::pow(least, exponent);
  const double at_most = portable::pow(most, exponent);
  return portable::pow(at_least + u * (at_most - at_least), 1.0 / exponent);
}

/// Draws halo `number`; `share` is its particles' share of the total mass.
Halo draw_halo(std::uint64_t seed, Count number, Count first, Count particles, double share) {
  RandomStream place(seed, RandomPurpose::halo_place, number);
  Halo halo{};
  halo.first = first;
  halo.particles = particles;
  halo.radius = portable::cbrt(3.0 * share / (200.0 * 2.0 * portable::two_pi));
  halo.concentration = std::clamp(5.0 * portable::pow(share / 1e-3, -0.1), 4.0, 20.0);
  halo.centre = place.next_triple();
  const Vector3 v = draw_normal(place);
  halo.velocity = {bulk_dispersion * v[0], bulk_dispersion * v[1], bulk_dispersion * v[2]};
  return halo;
}

}  // namespace

std::vector<Halo> halo_catalogue(const GeneratorOptions& options) {
  check_generator_options(options);
  const ModelParameters& model = options.model;
  const double total = static_cast<double>(options.particles);
  const Count smallest =
      model.halo_smallest > 0 ? model.halo_smallest : std::max<Count>(20, options.particles >> 22);
  const double least = static_cast<double>(smallest);
  const double most = std::max(least + 1.0, model.halo_largest * total);
  const Count in_haloes = static_cast<Count>(model.halo_fraction * total);

  std::vector<Halo> haloes;
  for (Count first = 0;;) {
    const Count number = haloes.size();
    RandomStream size(options.seed, RandomPurpose::halo_size, number);
    const Count particles =
        std::max(smallest,
                 static_cast<Count>(power_law(size.next_pair()[0], least, most, model.halo_slope)));
    if (particles > in_haloes - first) return haloes;
    const double share = static_cast<double>(particles) / total;
    haloes.push_back(draw_halo(options.seed, number, first, particles, share));
    first += particles;
  }
}

}  // namespace copse
