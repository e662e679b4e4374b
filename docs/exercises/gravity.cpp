/// Solution of the first exercise on gravity; gravity.py has the others.

#include <copse/gravity/gravity_tree.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace copse::book {
namespace {

// [begin opening]
/// A light body and a heavy one in opposite corners of a cubic cell of side 1. The centre of mass
/// is at the heavy one: as far from the light one, and from the centre of the cell, as it can be.
constexpr double side = 1.0;
const double reach = std::sqrt(3.0);       // from the centre of mass to the light body
const double offset = std::sqrt(3.0) / 2;  // from the centre of the cell to the centre of mass

/// Barnes and Hut 1986: a node may act at distances above side / theta.
double radius_of_1986(double theta) {
  return side / theta;
}

/// The opening radii of gravity_tree.hpp.
double opening_radius(OpeningKind kind, double theta) {
  const double by_angle = kind == OpeningKind::barnes   ? side / theta + offset
                          : kind == OpeningKind::changa ? 2 * reach / (std::sqrt(3.0) * theta)
                          : kind == OpeningKind::bmax   ? reach / theta
                                                        : side / theta + reach;
  return std::sqrt(static_cast<double>(squared_opening_radius(by_angle, reach)));
}

/// Whether the light body lets the node act that contains it.
bool accepts_itself(double radius) {
  return reach > radius;
}
// [end opening]

TEST_CASE("Gravity 1: the criterion of 1986 lets bodies act on themselves, opening radii do not") {
  CHECK_FALSE(accepts_itself(radius_of_1986(0.577)));
  CHECK(accepts_itself(radius_of_1986(0.578)));  // 1 / sqrt(3) = 0.57735
  for (const double theta : {0.1, 0.5, 0.7, 1.0, 1.2, 2.0, 10.0})
    for (const OpeningKind kind :
         {OpeningKind::barnes, OpeningKind::changa, OpeningKind::bmax, OpeningKind::min_distance})
      CHECK_FALSE(accepts_itself(opening_radius(kind, theta)));
  // The angle alone would not be enough: from some angle on the reach decides.
  CHECK(side / 1.16 + offset < reach);
  CHECK(reach / 1.01 < reach);
}

}  // namespace
}  // namespace copse::book
