#include "generated_on_host.hpp"
#include <copse/particles/halo_catalogue.hpp>

#include <catch2/catch_test_macros.hpp>

using copse::Count;

TEST_CASE("Haloes follow each other without gaps and hold the requested share of the particles") {
  const auto options = copse_test::options_of("nfw", 1000000);
  const auto haloes = copse::halo_catalogue(options);
  Count next = 0;
  for (const copse::Halo& halo : haloes) {
    CHECK(halo.first == next);
    CHECK(halo.particles >= 20);
    CHECK(halo.particles <= 10000);
    next += halo.particles;
  }
  CHECK(next <= 500000);
  CHECK(next > 500000 - 10000);
}

// Oracle: the maximum-likelihood slope of a power law truncated to [a, b] solves <ln M> = its
// expectation; the sample mean of ln M is compared with that expectation, four standard errors.
TEST_CASE("Halo masses follow the power law of the options") {
  for (const double slope : {1.5, 1.9, 2.5}) {
    auto options = copse_test::options_of("nfw", 20000000);
    options.model.halo_slope = slope;
    options.model.halo_smallest = 500;  // big enough that rounding down to particles is negligible
    const auto haloes = copse::halo_catalogue(options);
    const double a = 500.0, b = 200000.0, e = 1.0 - slope;
    double mean = 0.0, square = 0.0;
    for (const copse::Halo& halo : haloes) {
      const double x = std::log((static_cast<double>(halo.particles) + 0.5) / a);
      mean += x;
      square += x * x;
    }
    const double n = static_cast<double>(haloes.size());
    mean /= n;
    const double error = std::sqrt((square / n - mean * mean) / n);
    const double t = std::log(b / a);
    const double expected = t * std::exp(e * t) / std::expm1(e * t) - 1.0 / e;
    INFO("slope " << slope << ", " << n << " haloes");
    CHECK(n > 500);
    CHECK(std::abs(mean - expected) < 4.0 * error);
  }
}

// Oracle: a mean density of 200 in a box of unit mass and volume.
TEST_CASE("A halo's mean density is 200 times that of the box") {
  const auto options = copse_test::options_of("nfw", 100000);
  for (const copse::Halo& halo : copse::halo_catalogue(options)) {
    const double mass = static_cast<double>(halo.particles) / 100000.0;
    const double volume = 4.0 / 3.0 * 3.14159265358979324 * std::pow(halo.radius, 3);
    CHECK(std::abs(mass / volume / 200.0 - 1.0) < 1e-9);
    CHECK(halo.concentration >= 4.0);
    CHECK(halo.concentration <= 20.0);
  }
}

// Oracle: the next halo would not fit, and none is larger than halo_largest.
TEST_CASE("Haloes hold the requested share of the particles to within one halo") {
  for (const double share : {0.1, 0.5, 0.6, 0.99}) {
    auto options = copse_test::options_of("nfw", 1000000);
    options.model.halo_fraction = share;
    copse::Count held = 0;
    for (const copse::Halo& halo : copse::halo_catalogue(options)) held += halo.particles;
    CHECK(static_cast<double>(held) <= share * 1e6);
    CHECK(static_cast<double>(held) > (share - options.model.halo_largest) * 1e6);
  }
}

TEST_CASE("A set too small for a halo, or with no share for haloes, is all background") {
  CHECK(copse::halo_catalogue(copse_test::options_of("nfw", 30)).empty());
  auto options = copse_test::options_of("nfw", 100000);
  options.model.halo_fraction = 0.0;
  CHECK(copse::halo_catalogue(options).empty());
}
