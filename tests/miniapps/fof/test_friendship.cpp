#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fof/friendship.hpp>
#include <limits>

namespace copse::fof {
namespace {

using Array = Kokkos::Array<Real, 3>;

Real between(const Friendship& rule, const Array& a, const Array& b) {
  return rule.distance2<OneLane>(a, ArrayPoint<3>{b});
}

TEST_CASE("Particles at exactly the linking length are friends only if that is asked for") {
  const Box<3> box = unit_box<3>();
  for (const double b : {0.25, 0.1, 0.3, 1e-3}) {
    const Array x{0, 0, 0}, y{0, static_cast<Real>(b), 0};
    const Friendship strict = make_friendship({.length = b, .velocity = INFINITY}, box);
    const Friendship inclusive =
        make_friendship({.length = b, .velocity = INFINITY, .inclusive = true}, box);
    CHECK_FALSE(between(strict, x, y) < strict.reach2);
    CHECK(between(inclusive, x, y) < inclusive.reach2);
  }
}

TEST_CASE("Distances in a periodic box go the shorter way round") {
  const Friendship rule = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>(true));
  const Array low{0.0625, 0.5, 0}, high{0.9375, 0.5, 1};
  CHECK(between(rule, low, high) == Real(0.015625));
  CHECK(between(rule, high, low) == Real(0.015625));
  const Friendship open = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>());
  CHECK(between(open, low, high) == Real(1.765625));
}

TEST_CASE("An infinite velocity link is the definition in 3-D, a finite one adds velocities") {
  const Box<3> box = unit_box<3>();
  CHECK(make_friendship({.length = 0.1, .velocity = INFINITY}, box).velocity_factor == 0);
  const Friendship rule = make_friendship({.length = 0.5, .velocity = 2.0}, box);
  const Array v{1, 0, 0}, w{0, 0, 0};
  // (0.5 / 2)^2 of a squared speed of 1
  CHECK(rule.with_velocity2<OneLane>(Real(0.125), v, ArrayPoint<3>{w}) == Real(0.1875));
}

TEST_CASE("Linking lengths that make no sense are refused") {
  const Box<3> box = unit_box<3>(true);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double b : {0.0, -1.0, infinity, std::nan(""), 1e-30, 0.6})
    CHECK_THROWS_AS(make_friendship({.length = b, .velocity = infinity}, box), InputError);
  for (const double psi : {0.0, -1.0, std::nan(""), 1e-40})
    CHECK_THROWS_AS(make_friendship({.length = 0.1, .velocity = psi}, box), InputError);
}

}  // namespace
}  // namespace copse::fof
