// Oracles: known probabilities of distances in squares and cubes, a lattice, and uniform points.
#include "collide/radial_distribution.hpp"
#include <copse/particles/philox.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <cmath>
#include <numbers>

using namespace copse;
using namespace copse::collide;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

template <int D>
Region<D> region_of(bool periodic, std::initializer_list<double> sides) {
  Region<D> region;
  region.periodic = periodic;
  int a = 0;
  for (const double side : sides) region.side[a++] = side;
  return region;
}

template <int D>
State<D, Kokkos::HostSpace> uniform_points(const Region<D>& region, Count n) {
  auto state = allocate_state<D, Kokkos::HostSpace>(n, false);
  for (Count i = 0; i < n; ++i) {
    RandomStream stream(11, RandomPurpose::position, i);
    const auto draws = stream.next_triple();
    state.tag(i) = static_cast<Tag>(i);
    for (int a = 0; a < D; ++a) state.position(i, a) = region.side[a] * draws[a];
  }
  return state;
}

}  // namespace

TEST_CASE("Two uniform points of a unit square or cube are at most 1 apart as often as is known") {
  constexpr double pi = std::numbers::pi;
  CHECK_THAT(uniform_within(region_of<2>(false, {1, 1}), 1.0), WithinAbs(pi - 13.0 / 6.0, 1e-14));
  CHECK_THAT(uniform_within(region_of<3>(false, {1, 1, 1}), 1.0),
             WithinAbs(4.0 * pi / 3.0 - 1.5 * pi + 8.0 / 5.0 - 1.0 / 6.0, 1e-14));
  CHECK_THAT(uniform_within(region_of<2>(true, {2, 1}), 0.5), WithinAbs(pi / 8.0, 1e-14));
}

TEST_CASE("g(r) of a square lattice has its neighbours") {
  const auto region = region_of<2>(true, {10, 10});
  auto state = allocate_state<2, Kokkos::HostSpace>(100, false);
  for (Count i = 0; i < 100; ++i) {
    state.tag(i) = static_cast<Tag>(i);
    state.position(i, 0) = static_cast<double>(i % 10);
    state.position(i, 1) = static_cast<double>(i / 10);
  }
  const auto found =
      radial_distribution(Communicator(), state, region, 1.9, 5);  // edges 0.38 apart
  CHECK(found.pairs == std::vector<Count>{0, 0, 200, 200, 0});
  CHECK(found.g[0] == 0.0);
  // 200 pairs among 4950, over the part of the square in the ring from 0.76 to 1.14.
  CHECK_THAT(found.g[2], WithinRel(200.0 / 4950.0 / (std::numbers::pi * 0.722 / 100.0), 1e-12));
}

TEST_CASE("g(r) of uniform points is 1 with walls and without") {
  for (const bool periodic : {false, true}) {
    CAPTURE(periodic);
    const auto flat = region_of<2>(periodic, {1, 2});
    for (const double g :
         radial_distribution(Communicator(), uniform_points(flat, 4000), flat, 0.4, 4).g)
      CHECK_THAT(g, WithinAbs(1.0, 0.03));
    const auto deep = region_of<3>(periodic, {1, 2, 1.5});
    for (const double g :
         radial_distribution(Communicator(), uniform_points(deep, 4000), deep, 0.45, 3).g)
      CHECK_THAT(g, WithinAbs(1.0, 0.05));
  }
}

TEST_CASE("One particle has no g(r)") {
  const auto region = region_of<2>(false, {1, 1});
  for (const double g :
       radial_distribution(Communicator(), uniform_points(region, 1), region, 0.5, 3).g)
    CHECK(g == 0.0);
}
