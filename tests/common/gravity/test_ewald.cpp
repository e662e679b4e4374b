// Oracles: quadrature, lattice constants from the literature, sums over images by brute force, and
// the published accelerations of a periodic snapshot.
#include "data_file.hpp"
#include "tipsy_array.hpp"
#include <copse/backend/backends.hpp>
#include <copse/gravity/exact_gravity.hpp>
#include <copse/gravity/periodic_correction.hpp>
#include <copse/io/snapshot.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace copse::test {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using MemorySpace = Space::memory_space;
using Bodies = std::vector<Monopole>;

Kokkos::View<const Monopole*, MemorySpace> on_backend(const Bodies& bodies) {
  const Kokkos::View<Monopole*, Kokkos::HostSpace> host("copse::test::bodies", bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) host(i) = bodies[i];
  return Kokkos::create_mirror_view_and_copy(MemorySpace{}, host);
}

std::vector<GravityField<double>> exact_fields(const Bodies& bodies, double side,
                                               const std::vector<LocalIndex>& rows,
                                               double softening = 0.0,
                                               double screening = exact_screening) {
  const Kokkos::View<LocalIndex*, Kokkos::HostSpace> host("copse::test::rows", rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t) host(t) = rows[t];
  const GravitySources<MemorySpace> sources{on_backend(bodies), softening * softening, {}, side};
  const auto found = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{},
      exact_gravity<Space>(Space{}, sources,
                           Kokkos::create_mirror_view_and_copy(MemorySpace{}, host), screening));
  std::vector<GravityField<double>> fields;
  for (std::size_t t = 0; t < rows.size(); ++t)
    fields.push_back({found(t, 0), found(t, 1), found(t, 2), found(t, 3)});
  return fields;
}

/// The 27 near images by brute force, and the correction.
std::vector<GravityField<double>> near_and_correction(const Bodies& bodies, const Box<3>& box,
                                                      const std::vector<LocalIndex>& rows) {
  const Space space;
  const auto there = on_backend(bodies);
  PeriodicCorrection<MemorySpace> correction;
  tabulate_correction(space, root_moments(space, there), box, correction);
  Points<3, Kokkos::HostSpace> points("copse::test::points", rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t)
    for (int a = 0; a < 3; ++a) points(t, a) = bodies[rows[t]].centre[a];
  const Points<3, MemorySpace> targets("copse::test::targets", rows.size());
  Kokkos::deep_copy(targets, points);
  const Points<3, MemorySpace> acceleration("copse::test::acceleration", rows.size());
  const Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace> potential("copse::test::potential",
                                                                       rows.size());
  add_correction(space, correction, rows.size(), {}, targets, acceleration, potential);
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, acceleration);
  const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, potential);
  std::vector<GravityField<double>> fields;
  const double side = box.upper[0] - box.lower[0];
  for (std::size_t t = 0; t < rows.size(); ++t) {
    GravityField<double> field{a(t, 0), a(t, 1), a(t, 2), p(t)};
    for (const Monopole& body : bodies)
      for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
          for (int z = -1; z <= 1; ++z) {
            const double dx = double(body.centre[0]) - double(points(t, 0)) + x * side;
            const double dy = double(body.centre[1]) - double(points(t, 1)) + y * side;
            const double dz = double(body.centre[2]) - double(points(t, 2)) + z * side;
            const double square = dx * dx + dy * dy + dz * dz;
            if (square == 0.0) continue;
            const double pull = double(body.mass) / (square * std::sqrt(square));
            field.x += pull * dx;
            field.y += pull * dy;
            field.z += pull * dz;
            field.potential -= pull * square;
          }
    fields.push_back(field);
  }
  return fields;
}

/// Root mean squares of differences, relative to those of the exact fields.
struct Differences {
  double acceleration = 0.0, potential = 0.0;
};

Differences differences(const std::vector<GravityField<double>>& fields,
                        const std::vector<GravityField<double>>& exact) {
  double off[2] = {}, size[2] = {};
  for (std::size_t t = 0; t < fields.size(); ++t) {
    const auto &f = fields[t], &e = exact[t];
    off[0] += std::pow(std::hypot(f.x - e.x, f.y - e.y, f.z - e.z), 2);
    size[0] += std::pow(std::hypot(e.x, e.y, e.z), 2);
    off[1] += std::pow(f.potential - e.potential, 2);
    size[1] += std::pow(e.potential, 2);
  }
  return {std::sqrt(off[0] / size[0]), std::sqrt(off[1] / size[1])};
}

Bodies clump(std::size_t n, const std::array<double, 3>& centre, double radius) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-radius, radius);
  Bodies bodies(n);
  for (Monopole& body : bodies) {
    for (std::size_t a = 0; a < 3; ++a)
      body.centre[a] = static_cast<Real>(centre[a] + uniform(random));
    body.mass =
        static_cast<Real>((1.0 + static_cast<double>(random() % 4)) / static_cast<double>(n));
  }
  return bodies;
}

std::vector<LocalIndex> every(std::size_t step, std::size_t n) {
  std::vector<LocalIndex> rows;
  for (std::size_t row = 0; row < n; row += step) rows.push_back(static_cast<LocalIndex>(row));
  return rows;
}

TEST_CASE("Boys functions equal their integrals") {
  const double t = GENERATE(0.0, 1e-9, 0.1, 1.0, 2.999, 3.0, 8.0, 27.0, 300.0);
  const BoysFunctions<5> boys(t);
  for (int n = 0; n <= 5; ++n) {
    // Simpson's rule
    constexpr int steps = 20'000;
    double sum = 0.0;
    for (int i = 0; i <= steps; ++i) {
      const double u = static_cast<double>(i) / steps;
      const double value = std::pow(u, 2 * n) * std::exp(-t * u * u);
      sum += value * (i == 0 || i == steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
    }
    INFO("t " << t << ", n " << n);
    CHECK(boys.of[n] == Catch::Approx(sum / (3.0 * steps)).epsilon(1e-11));
  }
}

TEST_CASE("A mass among its own images has the potential of a simple cubic lattice") {
  // A Wigner crystal: 2.837297479480619 (Hasimoto 1959; Brush, Sahlin and Teller 1966).
  const double side = GENERATE(1.0, 250.0);
  const Bodies one{{{static_cast<Real>(0.3 * side), static_cast<Real>(0.9 * side), 0}, Real(2)}};
  const auto field = exact_fields(one, side, {0}).front();
  CHECK(field.potential == Catch::Approx(2.837297479480619 * 2.0 / side).epsilon(1e-10));
  CHECK(std::hypot(field.x, field.y, field.z) < 1e-12 / (side * side));
}

TEST_CASE("Two opposite masses have the Madelung constant of caesium chloride") {
  const Bodies two{{{0, 0, 0}, Real(1)}, {{Real(0.5), Real(0.5), Real(0.5)}, Real(-1)}};
  const auto fields = exact_fields(two, 1.0, {0, 1});
  const double madelung = 1.76267477307099 / (0.5 * std::sqrt(3.0));
  CHECK(fields[0].potential == Catch::Approx(madelung).epsilon(1e-10));
  CHECK(fields[1].potential == Catch::Approx(-madelung).epsilon(1e-10));
}

TEST_CASE("Periodic sums do not depend on the splitting length") {
  const double softening = GENERATE(0.0, 0.02);
  const Bodies bodies = clump(60, {0.5, 0.5, 0.5}, 0.5);
  const auto rows = every(1, bodies.size());
  const auto exact = exact_fields(bodies, 1.0, rows, softening, 7.0);
  const auto off = differences(exact_fields(bodies, 1.0, rows, softening), exact);
  INFO(off.acceleration << " " << off.potential);
  CHECK(off.acceleration < 1e-10);  // measured: 4.2e-12
  CHECK(off.potential < 1e-10);     // 2.0e-12
}

TEST_CASE("Near images and the correction are the field of a periodic box") {
  // The moments of a clump end with the hexadecapole: what remains is the table, and rounding to
  // Real. Measured: 4.3e-10 and 5.0e-8, 1.1e-9 and 5.0e-8; of the whole box 5.7e-5 and 4.1e-4.
  const auto [centre, radius, tolerance] =
      GENERATE(std::tuple(std::array{0.5, 0.5, 0.5}, 0.05, 2e-7),
               std::tuple(std::array{0.2, 0.7, 0.5}, 0.05, 2e-7),
               std::tuple(std::array{0.5, 0.5, 0.5}, 0.5, 8e-4));
  Bodies bodies = clump(300, centre, radius);
  // Light bodies everywhere feel it.
  for (const Monopole& body : clump(300, {0.5, 0.5, 0.5}, 0.5))
    bodies.push_back({body.centre, body.mass * Real(1e-6)});
  const auto rows = every(1, bodies.size());
  const auto off = differences(near_and_correction(bodies, unit_box<3>(true), rows),
                               exact_fields(bodies, 1.0, rows));
  INFO("radius " << radius << ": " << off.acceleration << ", " << off.potential);
  CHECK(off.acceleration < tolerance);
  CHECK(off.potential < tolerance);
}

TEST_CASE("Periodic sums reproduce the published accelerations of a snapshot") {
  io::ReadOptions options;
  options.columns.mass = true;
  const auto lambs =
      io::read_snapshot(data_file("lambs/lambs.00200_subsamp_30K"), options).particles;
  const auto published = read_tipsy_array<double>(data_file("lambs/direct_periodic.acc"));
  Bodies bodies(lambs.size());
  for (Count i = 0; i < lambs.size(); ++i)
    bodies[i] = {{lambs.position(i, 0), lambs.position(i, 1), lambs.position(i, 2)}, lambs.mass(i)};
  const auto rows = every(300, bodies.size());
  std::vector<GravityField<double>> exact;
  for (const LocalIndex row : rows)
    exact.push_back({published(row, 0), published(row, 1), published(row, 2), 1.0});
  const auto fields = exact_fields(bodies, 1.0, rows);
  const auto off = differences(fields, exact);
  INFO("direct " << off.acceleration);
  CHECK(off.acceleration < 1e-10);  // measured: 8.6e-13 here, 5.0e-11 of each body's own
  Box<3> box = unit_box<3>(true);
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = Real(-0.5);
    box.upper[a] = Real(0.5);
  }
  const auto corrected = differences(near_and_correction(bodies, box, rows), fields);
  INFO("near images and correction " << corrected.acceleration << ", " << corrected.potential);
  CHECK(corrected.acceleration < 1e-5);  // measured: 4.3e-6
  CHECK(corrected.potential < 2e-4);     // 8.7e-5
}

}  // namespace
}  // namespace copse::test
