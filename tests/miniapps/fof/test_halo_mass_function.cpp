// Oracle: counts by hand.
#include <copse/backend/error.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fof/catalogue/halo_mass_function.hpp>
#include <vector>

namespace copse::fof {
namespace {

Catalogue with_masses(const std::vector<double>& masses) {
  Catalogue catalogue;
  for (int a = 0; a < 3; ++a) catalogue.box.upper[a] = Real(2);
  for (const double mass : masses) {
    GroupProperties group{};
    group.members = static_cast<Count>(mass);
    group.mass = mass / 1000.0;
    catalogue.groups.push_back(group);
  }
  return catalogue;
}

TEST_CASE("Groups are counted in bins that begin at powers of ten, the lower edge included") {
  const MassFunction found =
      halo_mass_function(with_masses({100000, 999, 100, 99, 20, 11, 10}), MassMeasure::members, 1);
  REQUIRE(found.bins.size() == 5);
  const std::vector<Count> groups{4, 2, 0, 0, 1}, above{7, 3, 1, 1, 1};
  double edge = 10.0;
  for (std::size_t k = 0; k < 5; ++k, edge *= 10.0) {
    const MassBin& bin = found.bins[k];
    CHECK(bin.lower == Catch::Approx(edge).epsilon(1e-15));
    CHECK(bin.upper == Catch::Approx(10.0 * edge).epsilon(1e-15));
    CHECK(bin.groups == groups[k]);
    CHECK(bin.groups_above == above[k]);
    CHECK(bin.per_decade == static_cast<double>(groups[k]) / 8.0);
  }
}

TEST_CASE("Finer bins still count per decade, and masses below 1 have bins too") {
  const MassFunction found =
      halo_mass_function(with_masses({1000, 200, 190}), MassMeasure::mass, 10);
  // 0.19 is in [10^-0.8, 10^-0.7) = [0.158, 0.1995), 0.2 in the next and 1 in [1, 1.26).
  REQUIRE(found.bins.size() == 9);
  CHECK(found.bins[0].lower == Catch::Approx(0.15848931924611134).epsilon(1e-14));
  CHECK(found.bins[0].groups == 1);
  CHECK(found.bins[1].groups == 1);
  CHECK(found.bins[8].groups == 1);
  CHECK(found.bins[8].lower == 1.0);
  CHECK(found.bins[0].groups_above == 3);
  CHECK(found.bins[0].per_decade == 10.0 / 8.0);
}

TEST_CASE("A mass at an edge is in the bin above it, and the next smaller number below") {
  for (int k = -60; k <= 60; ++k) {
    const double edge = std::pow(10.0, k / 10.0);
    Catalogue catalogue = with_masses({1, 1});
    catalogue.groups[0].mass = edge;
    catalogue.groups[1].mass = std::nextafter(edge, 0.0);
    const MassFunction found = halo_mass_function(catalogue, MassMeasure::mass, 10);
    REQUIRE(found.bins.size() == 2);
    CHECK(found.bins[1].lower == edge);
    CHECK(found.bins[0].groups == 1);
    CHECK(found.bins[1].groups == 1);
  }
}

TEST_CASE("Without groups there are no bins; invalid bins and boxes are refused") {
  CHECK(halo_mass_function(with_masses({}), MassMeasure::mass, 5).bins.empty());
  CHECK_THROWS_AS(halo_mass_function(with_masses({1}), MassMeasure::mass, 0), InputError);
  CHECK_THROWS_AS(halo_mass_function(with_masses({1}), MassMeasure::mass, 1001), InputError);
  Catalogue flat = with_masses({1});
  flat.box.upper[1] = Real(0);
  CHECK_THROWS_AS(halo_mass_function(flat, MassMeasure::mass, 5), InputError);
}

}  // namespace
}  // namespace copse::fof
