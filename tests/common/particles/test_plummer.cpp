#include "generated_on_host.hpp"

#include <catch2/catch_test_macros.hpp>

using copse::Count;

namespace {

double radius(const auto& view, Count i) {
  return std::sqrt(double{view(i, 0)} * view(i, 0) + double{view(i, 1)} * view(i, 1) +
                   double{view(i, 2)} * view(i, 2));
}

double mass_inside(double r) {
  return std::pow(r * r / (1.0 + r * r), 1.5);
}

}  // namespace

// Oracle: M(<r) = r^3 / (1 + r^2)^1.5 over M(<truncation), Kolmogorov and Smirnov at 0.1 %.
TEST_CASE("Plummer radii follow the cumulative mass of the model") {
  for (const double truncation : {1.0, 10.0, 100.0}) {
    auto options = copse_test::options_of("plummer", 40000);
    options.model.plummer_truncation = truncation;
    const auto p = copse_test::generate_on_host(options);
    std::vector<double> r(p.size());
    for (Count i = 0; i < p.size(); ++i) r[i] = radius(p.position, i);
    const auto cdf = [&](double x) { return mass_inside(x) / mass_inside(truncation); };
    CHECK(copse_test::kolmogorov_distance(r, cdf) < copse_test::kolmogorov_limit(r.size()));
    CHECK(*std::max_element(r.begin(), r.end()) <= truncation * (1 + 1e-6));
  }
}

// Oracle: the isotropic Plummer sphere has <v^2>(r) = 1 / (2 sqrt(1 + r^2)), so u = 2 v^2
// sqrt(1 + r^2) has mean 1; and no star is faster than the escape speed (u <= 4).
TEST_CASE("Plummer speeds have the local virial ratio one and stay below escape") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("plummer", 100000));
  double sum = 0.0, squares = 0.0, most = 0.0;
  for (Count i = 0; i < p.size(); ++i) {
    const double r = radius(p.position, i);
    const double v = radius(p.velocity, i);
    const double u = 2.0 * v * v * std::sqrt(1.0 + r * r);
    sum += u;
    squares += u * u;
    most = std::max(most, u);
  }
  const double n = static_cast<double>(p.size());
  const double mean = sum / n;
  CHECK(std::abs(mean - 1.0) < 4.0 * std::sqrt((squares / n - mean * mean) / n));
  CHECK(most < 4.0 * (1.0 + 1e-5));
}

// Oracle: 2 T = |W| with |W| = 3 pi / 32 for G = M = a = 1; 99.97 % of the mass is inside 50.
TEST_CASE("The whole cluster is in virial equilibrium") {
  auto options = copse_test::options_of("plummer", 100000, 5);
  options.model.plummer_truncation = 50.0;
  const auto p = copse_test::generate_on_host(options);
  double kinetic = 0.0;
  for (Count i = 0; i < p.size(); ++i) {
    const double v = radius(p.velocity, i);
    kinetic += 0.5 * p.mass(i) * v * v;
  }
  CHECK(std::abs(2.0 * kinetic / (3.0 * 3.14159265358979 / 32.0) - 1.0) < 0.01);
}

// Oracle: components of an isotropic vector have mean square 1/3 of the whole and no correlation
// with the position.
TEST_CASE("Plummer positions and velocities are isotropic and independent in direction") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("plummer", 60000, 9));
  const double n = static_cast<double>(p.size());
  for (const auto& column : {p.position, p.velocity})
    for (int a = 0; a < 3; ++a) {
      double mean = 0.0, square = 0.0;
      for (Count i = 0; i < p.size(); ++i) {
        const double mu = column(i, a) / radius(column, i);
        mean += mu / n;
        square += mu * mu / n;
      }
      CHECK(std::abs(mean) < 4.0 * std::sqrt(1.0 / 3.0 / n));
      CHECK(std::abs(square - 1.0 / 3.0) < 4.0 * std::sqrt(4.0 / 45.0 / n));
    }
  double radial = 0.0;
  for (Count i = 0; i < p.size(); ++i) {
    double dot = 0.0;
    for (int a = 0; a < 3; ++a) dot += double{p.position(i, a)} * p.velocity(i, a);
    radial += dot / radius(p.position, i) / radius(p.velocity, i) / n;
  }
  CHECK(std::abs(radial) < 4.0 * std::sqrt(1.0 / 3.0 / n));
}
