// Oracles: the cubic kernel's density, integrated numerically in long double; the accelerations of
// a public snapshot with five softening lengths, from an independent direct summation.
#include "data_file.hpp"
#include "tipsy_array.hpp"
#include <copse/backend/error.hpp>
#include <copse/gravity/direct_gravity.hpp>
#include <copse/gravity/softening.hpp>
#include <copse/io/snapshot.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace copse::test {
namespace {

/// The density at u = r / h of a unit mass that is spread over the kernel, with h = 1.
long double density(long double u) {
  const long double w = 2 - u;
  const long double shape = u <= 1   ? 1 - 1.5L * u * u + 0.75L * u * u * u
                            : u <= 2 ? w * w * w / 4
                                     : 0;
  return shape / std::numbers::pi_v<long double>;
}

/// The integral of 4 pi u^power W from `from` to `to`, by Simpson's rule. The integrand is smooth
/// on each side of u = 1.
long double integral(int power, long double from, long double to) {
  if (from < 1 && to > 1) return integral(power, from, 1) + integral(power, 1, to);
  constexpr int intervals = 2000;
  const long double step = (to - from) / intervals;
  long double sum = 0;
  for (int i = 0; i <= intervals; ++i) {
    const long double u = from + step * i;
    const int weight = i == 0 || i == intervals ? 1 : i % 2 == 0 ? 2 : 4;
    sum += weight * std::pow(u, static_cast<long double>(power)) * density(u);
  }
  return 4 * std::numbers::pi_v<long double> * sum * step / 3;
}

TEST_CASE("Spline softening is the gravity of a mass spread over the cubic kernel") {
  const double h = 0.37;
  double worst_force = 0.0, worst_potential = 0.0;
  for (const double u : {0.001, 0.1, 0.4, 0.8, 0.99, 1.0, 1.01, 1.3, 1.7, 1.95, 1.999}) {
    const long double inside = integral(2, 0, u);
    const long double outside = integral(1, u, 2);
    const auto pair = spline_factors(u * u * h * h, 2 * h);
    const double force = static_cast<double>(inside / (u * u * u)) / (h * h * h);
    const double potential = static_cast<double>(inside / u + outside) / h;
    worst_force = std::max(worst_force, std::abs(pair.force / force - 1));
    worst_potential = std::max(worst_potential, std::abs(pair.potential / potential - 1));
  }
  INFO("force " << worst_force << ", potential " << worst_potential);
  CHECK(integral(2, 0, 2) == Catch::Approx(1.0).epsilon(1e-12));
  CHECK(worst_force < 1e-13);      // measured: 2.0e-14
  CHECK(worst_potential < 1e-13);  // measured: 1.2e-14
}

TEST_CASE("Beyond the sum of the lengths a spline-softened pair is exactly Newtonian") {
  for (const double r : {0.5, 0.50001, 1.0, 1e3}) {
    const auto pair = spline_factors(r * r, 0.5);
    const auto bare = spline_factors(r * r, 0.0);
    CHECK(pair.potential == bare.potential);
    CHECK(pair.force == bare.force);
    CHECK(pair.potential == Catch::Approx(1 / r).epsilon(1e-15));
    CHECK(pair.force == Catch::Approx(1 / (r * r * r)).epsilon(1e-15));
  }
}

TEST_CASE("The spline's potential and force are continuous where the polynomials meet") {
  for (const double r : {1.0, 2.0}) {
    INFO("r = " << r);
    const double below = r * (1 - 1e-15), above = r * (1 + 1e-15);
    const auto a = spline_factors(below * below, 2.0), b = spline_factors(above * above, 2.0);
    CHECK(a.potential == Catch::Approx(b.potential).epsilon(1e-14));
    CHECK(a.force == Catch::Approx(b.force).epsilon(1e-14));
  }
}

TEST_CASE("The softened force is minus the gradient of the potential") {
  const double step = 1e-5;
  for (double r = 0.05; r < 2.5; r += 0.0937) {
    const auto at = [&](double x) {
      return std::array{spline_factors(x * x, 2.0), plummer_factors(x * x, 0.49)};
    };
    const auto below = at(r - step), here = at(r), above = at(r + step);
    for (std::size_t kernel = 0; kernel < 2; ++kernel) {
      INFO("r = " << r << ", kernel " << kernel);
      const double slope = (above[kernel].potential - below[kernel].potential) / (2 * step);
      CHECK(here[kernel].force * r == Catch::Approx(-slope).epsilon(1e-7));
    }
  }
}

TEMPLATE_TEST_CASE("Softening is finite at zero distance and without softening", "", float,
                   double) {
  using T = TestType;
  const auto centre = spline_factors(T(0), T(0.5));
  CHECK(centre.potential == Catch::Approx(2.8 / 0.5));
  CHECK(std::isfinite(centre.force));
  for (const auto& pair : {spline_factors(T(0), T(0)), plummer_factors(T(0), T(0))}) {
    CHECK(pair.potential == 0);
    CHECK(pair.force == 0);
  }
  const auto bare = spline_factors(T(4), T(0));
  CHECK(bare.potential == Catch::Approx(0.5));
  CHECK(bare.force == Catch::Approx(0.125));
}

TEST_CASE("Vectors of pairs are softened like single pairs") {
  using Lanes = VectorLanes::Real;
  double worst = 0.0;
  for (const double support : {0.0, 0.3, 1.0}) {
    const auto r2 = Lanes::of([](int lane) { return Real(0.007) * Real(lane * lane); });
    const auto pairs = spline_factors(r2, Lanes(support));
    for (int lane = 0; lane < VectorLanes::width; ++lane) {
      const auto pair = spline_factors(static_cast<double>(r2[lane]),
                                       static_cast<double>(static_cast<Real>(support)));
      for (const auto& [got, want] : {std::pair{pairs.potential[lane], pair.potential},
                                      std::pair{pairs.force[lane], pair.force}}) {
        REQUIRE(std::isfinite(got));
        const double off = std::abs(static_cast<double>(got) - want);
        worst = std::max(worst, want == 0.0 ? off : off / want);
      }
    }
  }
  INFO("relative error " << worst);
  // Measured: 2.5 roundings.
  CHECK(worst < 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()));
}

struct Halo {
  Particles<Kokkos::HostSpace> particles;
  TipsyArray<double> acceleration;
};

Halo read_halo() {
  io::ReadOptions options;
  options.columns.mass = options.columns.softening = true;
  return {io::read_snapshot(data_file("nbodyshop/test4.tbin"), options).particles,
          read_tipsy_array<double>(data_file("nbodyshop/test4np.direct.acc"))};
}

TEST_CASE("The softening column of a Tipsy file holds the lengths of its particles") {
  const auto softening = read_halo().particles.softening;
  REQUIRE(softening.extent(0) == 67495);
  const std::set<Real> lengths(softening.data(), softening.data() + softening.extent(0));
  CHECK(lengths.size() == 5);
  CHECK(*lengths.begin() == Catch::Approx(2e-4).epsilon(0.01));
  CHECK(*lengths.rbegin() == Catch::Approx(3.2e-3).epsilon(0.01));
}

/// Root mean square of the relative errors of the accelerations of the rows.
double error_of(const Halo& halo, const std::vector<LocalIndex>& rows,
                const std::vector<GravityField<double>>& fields) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& a = halo.acceleration;
    const LocalIndex row = rows[i];
    const double off =
        std::hypot(fields[i].x - a(row, 0), fields[i].y - a(row, 1), fields[i].z - a(row, 2));
    sum += std::pow(off / std::hypot(a(row, 0), a(row, 1), a(row, 2)), 2);
  }
  return std::sqrt(sum / static_cast<double>(rows.size()));
}

/// The sum over all particles with the support that `support` makes of two lengths.
template <class Support>
GravityField<double> plain_sum(const Halo& halo, LocalIndex target, const Support& support) {
  const auto& p = halo.particles;
  GravityField<double> field;
  for (LocalIndex i = 0; i < p.size(); ++i) {
    if (i == target) continue;
    double d[3], square = 0.0;
    for (int a = 0; a < 3; ++a) {
      d[a] = static_cast<double>(p.position(i, a)) - static_cast<double>(p.position(target, a));
      square += d[a] * d[a];
    }
    const double length =
        support(static_cast<double>(p.softening(target)), static_cast<double>(p.softening(i)));
    add_softened_mass(field, d[0], d[1], d[2], spline_factors(square, length),
                      static_cast<double>(p.mass(i)));
  }
  return field;
}

TEST_CASE("Direct summation with a softening length per particle reproduces a published field") {
  const Halo halo = read_halo();
  const auto& p = halo.particles;
  std::vector<LocalIndex> rows;
  for (LocalIndex row = 0; row < p.size(); row += 97) rows.push_back(row);
  const Softening softening{.kernel = SofteningKernel::spline, .lengths = p.softening};
  const double error = error_of(halo, rows, direct_gravity(p.position, p.mass, rows, softening));
  INFO("rms " << error << " on " << rows.size() << " rows");
  CHECK(error < 2e-14);  // measured: 5.1e-15

  std::vector<GravityField<double>> of_source, of_larger;
  for (const LocalIndex row : rows) {
    of_source.push_back(plain_sum(halo, row, [](double, double other) { return 2 * other; }));
    of_larger.push_back(
        plain_sum(halo, row, [](double own, double other) { return 2 * std::max(own, other); }));
  }
  INFO("support 2 eps_j: " << error_of(halo, rows, of_source)
                           << ", 2 max: " << error_of(halo, rows, of_larger));
  // Measured: 2.5e-2 and 2.2e-2.
  CHECK(error_of(halo, rows, of_source) > 1e-2);
  CHECK(error_of(halo, rows, of_larger) > 1e-2);
}

TEST_CASE("A length per particle needs as many lengths as particles") {
  const Points<3, Kokkos::HostSpace> points("copse::test::points", 3);
  const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> masses("copse::test::mass", 3);
  const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> two("copse::test::lengths", 2);
  const std::vector<LocalIndex> rows{0};
  CHECK_THROWS_AS(direct_gravity(points, masses, rows, Softening{.lengths = two}), InputError);
}

TEST_CASE("Plummer lengths of a pair are combined by the mean of their squares") {
  const Points<3, Kokkos::HostSpace> points("copse::test::points", 2);
  const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> masses("copse::test::mass", 2);
  const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> lengths("copse::test::eps", 2);
  points(1, 0) = Real(3);
  masses(1) = Real(10);
  lengths(0) = Real(4);
  lengths(1) = Real(4) * std::sqrt(Real(8));  // mean of the squares: 72
  const std::vector<LocalIndex> rows{0};
  const auto field = direct_gravity(points, masses, rows, Softening{.lengths = lengths})[0];
  CHECK(field.x == Catch::Approx(30.0 / (9 * 9 * 9)));
  CHECK(field.potential == Catch::Approx(-10.0 / 9));
}

}  // namespace
}  // namespace copse::test
