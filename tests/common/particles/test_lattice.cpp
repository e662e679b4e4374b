#include "generated_on_host.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <map>

using copse::Count;
using copse::Real;

// Oracle: the coordinates (k + 1/2) / 4 written out; binary fractions, exact in any Real.
TEST_CASE("A cube number of particles fills the lattice, x fastest") {
  const auto p = copse_test::generate_on_host(copse_test::options_of("lattice", 64));
  for (Count i = 0; i < 64; ++i) {
    CHECK(p.position(i, 0) == Real(0.125) + Real(0.25) * static_cast<Real>(i % 4));
    CHECK(p.position(i, 1) == Real(0.125) + Real(0.25) * static_cast<Real>(i / 4 % 4));
    CHECK(p.position(i, 2) == Real(0.125) + Real(0.25) * static_cast<Real>(i / 16));
  }
}

TEST_CASE("Every coordinate of a full lattice is shared by exactly the sites of a plane") {
  const Count side = 11;
  const auto p =
      copse_test::generate_on_host(copse_test::options_of("lattice", side * side * side));
  for (int a = 0; a < 3; ++a) {
    std::map<Real, Count> plane;
    for (Count i = 0; i < p.size(); ++i) ++plane[p.position(i, a)];
    CHECK(plane.size() == side);
    for (const auto& [x, sites] : plane) CHECK(sites == side * side);
  }
}

TEST_CASE("Any other number takes the first sites of the next larger lattice, all distinct") {
  for (const Count n : {1, 2, 7, 9, 26, 28, 1000, 1001}) {
    const auto p = copse_test::generate_on_host(copse_test::options_of("lattice", n));
    const Count side = static_cast<Count>(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9));
    std::map<std::array<Real, 3>, int> seen;
    for (Count i = 0; i < n; ++i) ++seen[{p.position(i, 0), p.position(i, 1), p.position(i, 2)}];
    CHECK(seen.size() == n);
    CHECK(p.position(0, 0) == static_cast<Real>(0.5 / static_cast<double>(side)));
  }
}
