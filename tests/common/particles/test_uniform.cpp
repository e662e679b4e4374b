#include "generated_on_host.hpp"
#include <copse/particles/generators.hpp>

#include <catch2/catch_test_macros.hpp>

using copse::Count;

// Oracle: 8 equal expectations; chi-square with 7 degrees of freedom exceeds 24.3 in 0.1 % of
// seeds.
TEST_CASE("Uniform particles fill the octants evenly") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 80000));
  double octant[8] = {};
  for (Count i = 0; i < p.size(); ++i) {
    int which = 0;
    for (int a = 0; a < 3; ++a) which = 2 * which + (p.position(i, a) >= copse::Real(0.5));
    octant[which] += 1.0;
  }
  double chi_square = 0.0;
  for (const double n : octant) chi_square += (n - 10000.0) * (n - 10000.0) / 10000.0;
  CHECK(chi_square < 24.3);
  CHECK(chi_square > 0.6);  // a perfectly even split would not be random (0.1 % level)
}

// Oracle: the uniform distribution, axis by axis; independence of axes by their correlation.
TEST_CASE("Uniform coordinates are uniform along every axis and uncorrelated between axes") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("uniform", 50000, 1));
  const double n = static_cast<double>(p.size());
  for (int a = 0; a < 3; ++a) {
    std::vector<double> x(p.size());
    double product = 0.0;
    for (Count i = 0; i < p.size(); ++i) {
      x[i] = p.position(i, a);
      product += (p.position(i, a) - 0.5) * (p.position(i, (a + 1) % 3) - 0.5);
    }
    CHECK(copse_test::kolmogorov_distance(x, [](double u) { return u; }) <
          copse_test::kolmogorov_limit(x.size()));
    CHECK(std::abs(product / n) < 4.0 / 12.0 / std::sqrt(n));
  }
}

TEST_CASE("The uniform set is periodic in the unit box") {
  const auto box = copse_test::generate_on_host(copse_test::options_of("uniform", 1)).box;
  CHECK(box.fully_periodic());
  for (int a = 0; a < 3; ++a) CHECK((box.lower[a] == 0 && box.upper[a] == 1));
}
