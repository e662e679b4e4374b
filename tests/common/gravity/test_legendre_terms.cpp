// Oracles: 1 / r and its gradient, and the monopole and quadrupole written out.
#include <copse/gravity/legendre_terms.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstddef>

namespace copse::test {
namespace {

const legendre::Vector to_centre{1.0, -2.0, 0.5};
const legendre::Vector t{0.2, 0.1, -0.3};

TEST_CASE("Many Legendre terms are the inverse distance and its gradient") {
  const legendre::Vector r{to_centre[0] + t[0], to_centre[1] + t[1], to_centre[2] + t[2]};
  const double length = std::sqrt(legendre::dot(r, r));
  const auto terms = legendre::terms_of(to_centre, t, 40);
  CHECK(terms.sum.value == Catch::Approx(1.0 / length).epsilon(1e-14));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(terms.sum.gradient[i] == Catch::Approx(-r[i] / std::pow(length, 3)).epsilon(1e-13));
}

TEST_CASE("The terms of rank 0 and 2 are those of mass and quadrupole") {
  const double dd = legendre::dot(to_centre, to_centre), dt = legendre::dot(to_centre, t),
               tt = legendre::dot(t, t);
  CHECK(legendre::terms_of(to_centre, t, 0).sum.value == Catch::Approx(1.0 / std::sqrt(dd)));
  CHECK(legendre::terms_of(to_centre, t, 2).last.value ==
        Catch::Approx((3.0 * dt * dt - dd * tt) / (2.0 * std::pow(dd, 2.5))));
}

}  // namespace
}  // namespace copse::test
