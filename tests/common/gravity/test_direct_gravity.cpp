// Oracles: two bodies computed by hand, and a plain loop in long double.
#include <copse/gravity/direct_gravity.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <miniapps/orb/orb_inputs.hpp>
#include <numeric>
#include <random>

namespace copse::test {
namespace {

using Masses = Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

Masses masses_from(const std::vector<Real>& values) {
  Masses masses("copse::test::mass", values.size());
  std::copy(values.begin(), values.end(), masses.data());
  return masses;
}

std::vector<LocalIndex> all_rows(Count n) {
  std::vector<LocalIndex> rows(n);
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  return rows;
}

TEST_CASE("Two bodies pull each other by the inverse square, softened or not") {
  const auto particles = particles_from(2, unit_box<3>(), [](Count i) {
    return i == 0 ? std::array<Real, 3>{} : std::array<Real, 3>{Real(3), Real(0), Real(4)};
  });
  const auto masses = masses_from({Real(2), Real(50)});
  const auto rounded = [](double value) {  // measured: 2.1e-16
    return Catch::Approx(value).epsilon(6e-16);
  };
  const auto bare = direct_gravity(particles.position, masses, all_rows(2), 0.0);
  CHECK(bare[0].x == rounded(50.0 / 25 * 3 / 5));
  CHECK(bare[0].z == rounded(50.0 / 25 * 4 / 5));
  CHECK(bare[0].potential == rounded(-10.0));
  CHECK(bare[1].x == rounded(-2.0 / 25 * 3 / 5));
  CHECK(bare[1].y == 0.0);
  CHECK(bare[1].potential == rounded(-0.4));
  const auto softened = direct_gravity(particles.position, masses, all_rows(2), 12.0);
  CHECK(softened[0].x == rounded(50.0 * 3 / (13 * 13 * 13)));
  CHECK(softened[0].potential == rounded(-50.0 / 13));
}

TEST_CASE("Direct sums equal a plain loop for every number of points") {
  for (const Count n : {1, 7, 8, 9, 16, 200}) {
    INFO("n = " << n);
    const auto particles = named_input("clustered", n);
    std::mt19937 random(3);
    std::vector<Real> values(n);
    for (Real& m : values) m = static_cast<Real>(random() % 100);
    const double softening = 3.0;
    const auto fields =
        direct_gravity(particles.position, masses_from(values), all_rows(n), softening);
    REQUIRE(fields.size() == n);
    double worst = 0.0;
    for (Count i = 0; i < n; ++i) {
      long double sum[4] = {}, size = 0;
      for (Count j = 0; j < n; ++j) {
        if (j == i) continue;
        long double d[3], square = softening * softening;
        for (int a = 0; a < 3; ++a) {
          d[a] = static_cast<long double>(particles.position(j, a)) -
                 static_cast<long double>(particles.position(i, a));
          square += d[a] * d[a];
        }
        const long double m = static_cast<long double>(values[j]);
        for (int a = 0; a < 3; ++a) sum[a] += m * d[a] / (square * std::sqrt(square));
        sum[3] -= m / std::sqrt(square);
        size += m / square;
      }
      if (size == 0) continue;
      const double off[] = {fields[i].x - static_cast<double>(sum[0]),
                            fields[i].y - static_cast<double>(sum[1]),
                            fields[i].z - static_cast<double>(sum[2])};
      worst = std::max({worst, std::hypot(off[0], off[1], off[2]) / static_cast<double>(size),
                        std::abs(fields[i].potential / static_cast<double>(sum[3]) - 1.0)});
    }
    CHECK(worst < 2e-15);  // measured: 4.9e-16
  }
}

TEST_CASE(
    "Coincident points exert no force on each other, and targets may be a subset of the rows") {
  const auto particles = named_input("constant", 20);
  const auto fields =
      direct_gravity(particles.position, masses_from(std::vector<Real>(20, Real(1))),
                     std::vector<LocalIndex>{3, 19}, 0.0);
  REQUIRE(fields.size() == 2);
  for (const auto& field : fields) {
    CHECK(field.x == 0.0);
    CHECK(field.potential == 0.0);
  }
}

}  // namespace
}  // namespace copse::test
