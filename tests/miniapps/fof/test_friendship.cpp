#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <fof/friendship.hpp>
#include <limits>
#include <random>
#include <vector>

namespace copse::fof {
namespace {

using Array = Kokkos::Array<Real, 3>;

Real between(const Friendship& rule, const Array& a, const Array& b) {
  return rule.distance2<OneLane>(a, ArrayPoint<3>{b});
}

TEST_CASE("Particles at exactly the linking length are friends only on request") {
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

TEST_CASE("Distances in a periodic box are those to the nearest image") {
  const Friendship rule = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>(true));
  const Array low{0.0625, 0.5, 0}, high{0.9375, 0.5, 1};
  CHECK(between(rule, low, high) == Real(0.015625));
  CHECK(between(rule, high, low) == Real(0.015625));
  const Friendship open = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>());
  CHECK(between(open, low, high) == Real(1.765625));
}

/// A box at a random position with at most a third of the unit box's side, and points in it.
struct Cloud {
  BoxBound<3> box;
  std::vector<Array> points;
};
Cloud random_cloud(std::mt19937& random) {
  std::uniform_real_distribution<Real> unit(0, 1);
  const Array lower{unit(random), unit(random), unit(random)};
  Array upper{};
  for (int a = 0; a < 3; ++a) upper[a] = std::min(Real(1), lower[a] + unit(random) / 3);
  Cloud cloud{{lower, upper}, {lower, upper}};
  for (int k = 0; k < 3; ++k) {
    Array x{};
    for (int a = 0; a < 3; ++a)
      x[a] = std::clamp(lower[a] + unit(random) * (upper[a] - lower[a]), lower[a], upper[a]);
    cloud.points.push_back(x);
  }
  return cloud;
}

TEST_CASE(
    "If boxes are within half a period, the points themselves are the nearest images, bit by bit") {
  const Friendship rule = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>(true));
  std::mt19937 random(11);
  int own = 0, around = 0;
  for (int pair = 0; pair < 2000; ++pair) {
    const Cloud a = random_cloud(random), b = random_cloud(random);
    CHECK(rule.own_images(a.box, b.box) == rule.own_images(b.box, a.box));
    const bool near = rule.own_images(a.box, b.box);
    for (const Array& x : a.points) {
      const Real to_box = rule.least_distance2<OneLane>(b.box, x);
      const Real to_own_box = rule.least_distance2<OneLane, Images::own>(b.box, x);
      if (near) CHECK(to_own_box == to_box);
      for (const Array& y : b.points) {
        const Real nearest = between(rule, x, y);
        const Real direct = rule.distance2<OneLane, Images::own>(x, ArrayPoint<3>{y});
        if (near) CHECK(direct == nearest);
        near ? ++own : around += direct != nearest;
      }
    }
  }
  CHECK(own > 1000);
  CHECK(around > 1000);
  const Friendship open = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>());
  CHECK(open.own_images({{0, 0, 0}, {0, 0, 0}}, {{1, 1, 1}, {1, 1, 1}}));
  // Exactly half a period: both images are equally far.
  CHECK(rule.own_images({{0, 0, 0}, {0, 0, 0}}, {{0.5, 0, 0}, {0.5, 0, 0}}));
  CHECK_FALSE(rule.own_images({{0, 0, 0}, {0, 0, 0}}, {{0.5625, 0, 0}, {0.5625, 0, 0}}));
}

TEST_CASE("Boxes without a periodic axis are as far apart as their nearest points, bit by bit") {
  const Friendship open = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>());
  Box<3> slab = unit_box<3>();
  slab.periodic[1] = true;
  CHECK_FALSE(open.wraps);
  CHECK(make_friendship({.length = 0.1, .velocity = INFINITY}, slab).wraps);
  Friendship images = open;  // looks at images, which are infinitely far
  images.wraps = true;
  std::mt19937 random(12);
  for (int pair = 0; pair < 2000; ++pair) {
    const BoxBound<3> a = random_cloud(random).box, b = random_cloud(random).box;
    Array x{}, y{};
    for (int i = 0; i < 3; ++i) {
      x[i] = std::min(std::max(a.lower[i], b.lower[i]), a.upper[i]);
      y[i] = std::min(std::max(b.lower[i], x[i]), b.upper[i]);
    }
    CHECK(open.least_distance2(a, b) == between(open, x, y));
    CHECK(images.least_distance2(a, b) == between(open, x, y));
    CHECK(images.own_images(a, b));
  }
}

TEST_CASE("An infinite velocity link is the definition in 3-D, a finite one adds velocities") {
  const Box<3> box = unit_box<3>();
  CHECK(make_friendship({.length = 0.1, .velocity = INFINITY}, box).velocity_factor == 0);
  const Friendship rule = make_friendship({.length = 0.5, .velocity = 2.0}, box);
  const Array v{1, 0, 0}, w{0, 0, 0};
  // (0.5 / 2)^2 for a squared speed of 1
  CHECK(rule.with_velocity2<OneLane>(Real(0.125), v, ArrayPoint<3>{w}) == Real(0.1875));
}

TEST_CASE("Invalid linking lengths are refused") {
  const Box<3> box = unit_box<3>(true);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double b : {0.0, -1.0, infinity, std::nan(""), 1e-30, 0.6})
    CHECK_THROWS_AS(make_friendship({.length = b, .velocity = infinity}, box), InputError);
  for (const double psi : {0.0, -1.0, std::nan(""), 1e-40})
    CHECK_THROWS_AS(make_friendship({.length = 0.1, .velocity = psi}, box), InputError);
}

}  // namespace
}  // namespace copse::fof
