// Oracle: the accelerations and potentials of a public snapshot of 30000 dark matter particles,
// from an independent direct summation (isolated, no softening).
#include "data_file.hpp"
#include "tipsy_array.hpp"
#include <copse/gravity/direct_gravity.hpp>
#include <copse/gravity/gravity_tree.hpp>
#include <copse/io/snapshot.hpp>
#include <copse/tree/octree_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace copse::test {
namespace {

struct Lambs {
  Particles<Kokkos::HostSpace> particles;
  TipsyArray<double> acceleration;
  TipsyArray<double> potential;
};

Lambs read_lambs() {
  io::ReadOptions options;
  options.columns.mass = true;
  return {io::read_snapshot(data_file("lambs/lambs.00200_subsamp_30K"), options).particles,
          read_tipsy_array<double>(data_file("lambs/direct_isolated.acc")),
          read_tipsy_array<double>(data_file("lambs/direct_isolated.pot"))};
}

struct FieldErrors {
  double rms = 0.0;  ///< of relative errors of the acceleration
  double largest = 0.0;
  double potential_rms = 0.0;
};

FieldErrors errors_of(const Lambs& lambs, const std::vector<LocalIndex>& rows,
                      const std::vector<GravityField<double>>& fields) {
  FieldErrors errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& a = lambs.acceleration;
    const LocalIndex row = rows[i];
    const double off =
        std::hypot(fields[i].x - a(row, 0), fields[i].y - a(row, 1), fields[i].z - a(row, 2)) /
        std::hypot(a(row, 0), a(row, 1), a(row, 2));
    errors.rms += off * off;
    errors.largest = std::max(errors.largest, off);
    errors.potential_rms += std::pow(fields[i].potential / lambs.potential(row) - 1.0, 2);
  }
  errors.rms = std::sqrt(errors.rms / static_cast<double>(rows.size()));
  errors.potential_rms = std::sqrt(errors.potential_rms / static_cast<double>(rows.size()));
  return errors;
}

TEST_CASE("Direct summation reproduces the published field of a snapshot") {
  const Lambs lambs = read_lambs();
  std::vector<LocalIndex> rows;
  for (LocalIndex row = 0; row < lambs.particles.size(); row += 10) rows.push_back(row);
  const auto errors = errors_of(
      lambs, rows, direct_gravity(lambs.particles.position, lambs.particles.mass, rows, 0.0));
  INFO("rms " << errors.rms << ", largest " << errors.largest << ", potential "
              << errors.potential_rms);
  // Measured: 3.0e-15, 1.9e-14 and 2.5e-15.
  CHECK(errors.rms < 1e-14);
  CHECK(errors.largest < 6e-14);
  CHECK(errors.potential_rms < 1e-14);
}

/// The simplest walk: a node is accepted if its reach is below `opening_angle` times its distance.
template <int Order>
struct PlainWalk {
  const Octree<Kokkos::HostSpace>& tree;
  const Multipoles<Order, Kokkos::HostSpace>& moments;
  const Points<3, Kokkos::HostSpace>& points;
  const Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>& masses;
  double opening_angle;

  void visit(Count i, LocalIndex target, GravityField<double>& field) const {
    const OctreeNode& node = tree.nodes(i);
    const Monopole& monopole = moments.monopole(i);
    double d[3], square = 0.0;
    for (int a = 0; a < 3; ++a) {
      d[a] = static_cast<double>(monopole.centre[a]) - static_cast<double>(points(target, a));
      square += d[a] * d[a];
    }
    const double r = std::sqrt(square);
    if (static_cast<double>(moments.reach(i)) < opening_angle * r) {
      add_multipole(field, d[0], d[1], d[2], 1.0 / r, static_cast<double>(monopole.mass),
                    moments.higher(i));
    } else if (node.is_leaf()) {
      for (LocalIndex row = node.begin; row < node.end; ++row) add_row(row, target, field);
    } else {
      for (int c = 0; c < node.child_count; ++c)
        visit(node.first_child + static_cast<LocalIndex>(c), target, field);
    }
  }

  void add_row(LocalIndex row, LocalIndex target, GravityField<double>& field) const {
    double d[3];
    for (int a = 0; a < 3; ++a)
      d[a] = static_cast<double>(points(row, a)) - static_cast<double>(points(target, a));
    const double r = std::hypot(d[0], d[1], d[2]);
    if (r > 0.0) add_mass(field, d[0], d[1], d[2], 1.0 / r, static_cast<double>(masses(row)));
  }
};

/// Errors of every tenth particle's field at opening angles 0.7 and 0.35.
template <int Order>
std::array<FieldErrors, 2> errors_of_plain_walks(const Lambs& lambs) {
  OctreeBuilder<Kokkos::Serial> builder;
  auto points = copy_particles<Kokkos::HostSpace>(lambs.particles).position;
  OctreeBuilder<Kokkos::Serial>::Permutation permutation;
  const auto tree = builder.build(points, permutation, {.box = lambs.particles.box});
  Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace> masses("copse::test::mass",
                                                                    points.extent(0));
  for (Count i = 0; i < points.extent(0); ++i) masses(i) = lambs.particles.mass(permutation(i));
  Workspace<Kokkos::HostSpace> workspace;
  Multipoles<Order, Kokkos::HostSpace> moments;
  compute_multipoles(Kokkos::Serial{}, tree, points, masses, workspace, moments);

  std::vector<LocalIndex> rows;
  std::vector<GravityField<double>> wide, narrow;
  for (LocalIndex i = 0; i < points.extent(0); i += 10) {
    rows.push_back(permutation(i));
    PlainWalk{tree, moments, points, masses, 0.7}.visit(0, i, wide.emplace_back());
    PlainWalk{tree, moments, points, masses, 0.35}.visit(0, i, narrow.emplace_back());
  }
  return {errors_of(lambs, rows, wide), errors_of(lambs, rows, narrow)};
}

TEST_CASE("A plain walk of the octree's quadrupoles comes close to the published field") {
  const Lambs lambs = read_lambs();
  const auto [wide_errors, narrow_errors] = errors_of_plain_walks<2>(lambs);
  INFO("rms " << wide_errors.rms << " and " << narrow_errors.rms << ", largest "
              << wide_errors.largest << " and " << narrow_errors.largest << ", potential "
              << wide_errors.potential_rms << " and " << narrow_errors.potential_rms);
  // Measured: 1.8e-2 and 1.2e-3, of potentials 3.4e-5. The octupole is the first omitted term, so
  // half the angle must give less than an eighth of the error.
  CHECK(wide_errors.rms < 0.03);
  CHECK(narrow_errors.rms < 0.002);
  CHECK(narrow_errors.rms < wide_errors.rms / 8);
  CHECK(narrow_errors.potential_rms < 1e-4);
}

TEST_CASE("Halving the opening angle reduces the error by another factor of two per order") {
  const Lambs lambs = read_lambs();
  const auto [wide3, narrow3] = errors_of_plain_walks<3>(lambs);
  const auto [wide4, narrow4] = errors_of_plain_walks<4>(lambs);
  INFO("octupole " << wide3.rms << " and " << narrow3.rms << ", hexadecapole " << wide4.rms
                   << " and " << narrow4.rms);
  // Measured: 1.4e-2 and 5.4e-4 with octupoles, 7.7e-3 and 1.3e-4 with hexadecapoles.
  CHECK(wide3.rms < 0.02);
  CHECK(wide4.rms < 0.012);
  CHECK(narrow3.rms < wide3.rms / 16);
  CHECK(narrow4.rms < wide4.rms / 32);
  CHECK(narrow4.rms < narrow3.rms);
}

}  // namespace
}  // namespace copse::test
