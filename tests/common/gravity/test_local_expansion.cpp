// Oracles: sums over particles in double, and bounds of the truncated series.
#include <copse/gravity/local_expansion.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace copse::test {
namespace {

struct Mass {
  double at[3];
  double mass;
};

/// Masses in a ball about the origin.
std::vector<Mass> ball(int n, double radius, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<Mass> masses;
  while (masses.size() < static_cast<std::size_t>(n)) {
    const Mass m{{unit(random), unit(random), unit(random)}, 1.5 + unit(random)};
    if (std::hypot(m.at[0], m.at[1], m.at[2]) > 1.0) continue;
    masses.push_back({{radius * m.at[0], radius * m.at[1], radius * m.at[2]}, m.mass});
  }
  return masses;
}

GravityField<double> exact_field(const std::vector<Mass>& masses, const double (&centre)[3],
                                 const double (&target)[3]) {
  GravityField<double> field;
  for (const Mass& m : masses) {
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = centre[a] + m.at[a] - target[a];
    const double r = std::hypot(d[0], d[1], d[2]);
    const double pull = m.mass / (r * r * r);
    field.x += pull * d[0];
    field.y += pull * d[1];
    field.z += pull * d[2];
    field.potential -= m.mass / r;
  }
  return field;
}

template <int Order>
struct Expanded {
  static constexpr int rank = local_rank(Order);
  std::vector<Mass> masses = ball(40, 0.3, 5);
  double centre[3]{};  ///< of mass
  Real local[component_count(rank)]{};

  /// The local expansion about the origin of a ball of masses at `where`.
  Expanded(const double (&where)[3], Real length) {
    MomentSums<Order> sum;
    for (const Mass& m : masses) {
      sum.mass += m.mass;
      for (int a = 0; a < 3; ++a) sum.centre[a] += m.mass * m.at[a];
    }
    for (double& c : sum.centre) c /= sum.mass;
    for (const Mass& m : masses) {
      double shift[3];
      for (int a = 0; a < 3; ++a) shift[a] = m.at[a] - sum.centre[a];
      sum.add_mass_at(shift, m.mass);
    }
    const auto moments = sum.rounded(0.3);
    for (int a = 0; a < 3; ++a) centre[a] = where[a];
    Real d[3];
    for (int a = 0; a < 3; ++a) d[a] = static_cast<Real>(where[a] + sum.centre[a]);
    const Real inverse_r = Real(1) / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    add_to_local<Order, Real>(local, d, inverse_r, static_cast<Real>(sum.mass),
                              reinterpret_cast<const Real*>(&moments), length);
  }

  /// Relative error of the acceleration at y.
  double error_at(const double (&y)[3], const GravityField<Real>& found) const {
    const auto exact = exact_field(masses, centre, y);
    return std::hypot(double(found.x) - exact.x, double(found.y) - exact.y,
                      double(found.z) - exact.z) /
           std::hypot(exact.x, exact.y, exact.z);
  }
};

/// The largest error over points of a ball of radius 0.3 whose centre is `distance` away.
template <int Order>
double largest_error(double distance) {
  const double where[3] = {distance * 0.6, distance * -0.48, distance * 0.64};
  const Real length = Real(0.3);
  const Expanded<Order> expanded(where, length);
  double largest = 0.0;
  for (const Mass& m : ball(100, 0.3, 9)) {
    const Real y[3] = {Real(m.at[0]), Real(m.at[1]), Real(m.at[2])};
    const auto found = field_of_local<local_rank(Order)>(expanded.local, length, y);
    largest = std::max(largest, expanded.error_at(m.at, found));
    const auto exact = exact_field(expanded.masses, expanded.centre, m.at);
    // Measured: 0.17 of the largest error of an acceleration so far.
    CHECK(std::abs(double(found.potential) / exact.potential - 1.0) < 0.4 * largest + 1e-6);
  }
  return largest;
}

template <int Order>
void errors_fall_as_a_power() {
  INFO("order " << Order);
  const double near = largest_error<Order>(1.5), far = largest_error<Order>(3.0);
  // The bound is (radii / distance)^(order + 1); measured: 0.7 of it for order 1, 0.39 for order 4.
  // Twice the distance: a factor of 2^(order + 1); measured: 4.1, 8.3, 16.5 and 33.
  CHECK(near < std::pow(0.6 / 1.5, Order + 1));
  CHECK(far < near / std::pow(2.0, 0.95 * (Order + 1)));
}

TEST_CASE("Errors of local expansions fall as distance to the power of order + 1") {
  errors_fall_as_a_power<1>();
  errors_fall_as_a_power<2>();
  errors_fall_as_a_power<3>();
  errors_fall_as_a_power<4>();
}

TEST_CASE("A shifted local expansion has the same field") {
  constexpr int rank = local_rank(4);
  const double where[3] = {1.1, 0.3, -0.9};
  const Expanded<4> expanded(where, Real(0.3));
  const Real shift[3] = {Real(0.1), Real(-0.05), Real(0.12)};
  Real shifted[component_count(rank)] = {};
  add_shifted<rank>(shifted, Real(0.1), expanded.local, Real(0.3), shift);
  for (const Mass& m : ball(50, 0.1, 3)) {
    const Real y[3] = {Real(m.at[0]), Real(m.at[1]), Real(m.at[2])};
    const Real from_parent[3] = {y[0] + shift[0], y[1] + shift[1], y[2] + shift[2]};
    const auto here = field_of_local<rank>(shifted, Real(0.1), y);
    const auto there = field_of_local<rank>(expanded.local, Real(0.3), from_parent);
    // The series is a polynomial: only rounding differs. Measured with float: 7.2e-7 and 5.7e-7.
    CHECK(std::abs(here.potential / there.potential - 1) < 2e-6);
    CHECK(std::abs(here.x - there.x) + std::abs(here.y - there.y) + std::abs(here.z - there.z) <
          2e-6 * std::hypot(there.x, there.y, there.z));
  }
}

}  // namespace
}  // namespace copse::test
