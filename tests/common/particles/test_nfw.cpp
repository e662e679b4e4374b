#include "generated_on_host.hpp"
#include <copse/particles/halo_catalogue.hpp>

#include <catch2/catch_test_macros.hpp>

using copse::Count;
using copse::Halo;

namespace {

/// Separation from the halo's centre along an axis, through the periodic faces.
double separation(const copse::Particles<Kokkos::HostSpace>& p, Count i, int a, const Halo& halo) {
  const double d = p.position(i, a) - halo.centre[a];
  return d - std::round(d);
}

double mass_profile(double x) {
  return std::log1p(x) - x / (1.0 + x);
}

struct Sample {
  std::vector<double> mass_share;  ///< NFW mass inside the particle's radius over that of its halo
  double wrapped = 0;              ///< particles on the other side of a face from their centre
  double mean_energy = 0;          ///< of v^2 / (3 sigma^2(r)), one per axis expected
  double outermost = 0;            ///< radius over halo radius
};

Sample sample_haloes(const copse::GeneratorOptions& options) {
  const auto p = copse_test::generate_on_host(options);
  Sample sample;
  for (const Halo& halo : copse::halo_catalogue(options))
    for (Count i = halo.first; i < halo.first + halo.particles; ++i) {
      double r2 = 0.0, v2 = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d = separation(p, i, a, halo);
        const double v = p.velocity(i, a) - halo.velocity[a];
        r2 += d * d;
        v2 += v * v;
        if (std::abs(p.position(i, a) - halo.centre[a]) > 0.5) sample.wrapped += 1.0;
      }
      const double r = std::sqrt(r2);
      const double share =
          mass_profile(r / halo.radius * halo.concentration) / mass_profile(halo.concentration);
      const double mass = static_cast<double>(halo.particles) / static_cast<double>(p.size());
      sample.mass_share.push_back(share);
      sample.mean_energy += v2 / (3.0 * 0.5 * mass * share / r);
      sample.outermost = std::max(sample.outermost, r / halo.radius);
    }
  sample.mean_energy /= static_cast<double>(sample.mass_share.size());
  return sample;
}

}  // namespace

// Oracle: the share of the halo's mass inside a particle's radius is uniform in (0,1) if radii
// follow the NFW mass profile; Kolmogorov and Smirnov at 0.1 %. The haloes are made large enough
// for float positions to resolve their centres.
TEST_CASE("Halo particles follow the NFW profile, through the periodic faces") {
  auto options = copse_test::options_of("nfw", 100000);
  options.model.halo_smallest = 500;
  const Sample sample = sample_haloes(options);
  REQUIRE(sample.mass_share.size() > 40000);
  CHECK(copse_test::kolmogorov_distance(sample.mass_share, [](double u) { return u; }) <
        copse_test::kolmogorov_limit(sample.mass_share.size()));
  CHECK(sample.outermost < 1.001);
  CHECK(sample.wrapped > 0);
}

// Oracle: sigma^2 = M(<r) / (2 r) per axis; chi-square over its mean, four standard errors.
TEST_CASE("Halo velocities have half the squared circular speed as variance about the bulk") {
  auto options = copse_test::options_of("nfw", 100000, 2);
  options.model.halo_smallest = 500;
  const Sample sample = sample_haloes(options);
  const double n = static_cast<double>(sample.mass_share.size());
  CHECK(std::abs(sample.mean_energy - 1.0) < 4.0 * std::sqrt(2.0 / 3.0 / n) + 1e-3);
}

// Oracle: uniform octants (chi-square, 7 degrees of freedom, 0.1 %) and a normal dispersion of 0.1.
TEST_CASE("The background is uniform and has the dispersion of the bulk velocities") {
  const auto options = copse_test::options_of("nfw", 100000);
  const auto p = copse_test::generate_on_host(options);
  const Halo last = copse::halo_catalogue(options).back();
  const Count first = last.first + last.particles;
  const double n = static_cast<double>(p.size() - first);
  double octant[8] = {};
  double v2 = 0.0;
  for (Count i = first; i < p.size(); ++i) {
    int which = 0;
    for (int a = 0; a < 3; ++a) {
      which = 2 * which + (p.position(i, a) >= copse::Real(0.5));
      v2 += double{p.velocity(i, a)} * p.velocity(i, a);
    }
    octant[which] += 1.0;
  }
  double chi_square = 0.0;
  for (const double count : octant) chi_square += (count - n / 8) * (count - n / 8) / (n / 8);
  CHECK(chi_square < 24.3);
  CHECK(std::abs(v2 / (3.0 * n * 0.01) - 1.0) < 4.0 * std::sqrt(2.0 / (3.0 * n)));
}
