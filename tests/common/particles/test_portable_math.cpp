#include <copse/particles/portable_math.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace portable = copse::portable;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

double relative_error(double value, double expected) {
  return std::abs(value - expected) / std::abs(expected);
}

}  // namespace

// Oracle for all: the C library, whose results are within one unit in the last place.
TEST_CASE("The logarithm agrees with libm from 2^-52 to 10^300") {
  double worst = 0.0;
  for (double x = 0x1p-52; x < 1e300; x *= 1.0137)
    if (std::abs(x - 1.0) > 1e-3)
      worst = std::max(worst, relative_error(portable::log(x), std::log(x)));
  for (double d = -0.01; d < 0.01; d += 0x1.1p-20)
    if (d != 0.0)
      worst = std::max(worst, relative_error(portable::log(1.0 + d), std::log(1.0 + d)));
  CHECK(worst < 3 * epsilon);
  CHECK(portable::log(1.0) == 0.0);
}

TEST_CASE("The exponential agrees with libm over its range") {
  double worst = 0.0;
  for (double x = -700.0; x <= 700.0; x += 0.0137)
    worst = std::max(worst, relative_error(portable::exp(x), std::exp(x)));
  CHECK(worst < 4 * epsilon);
  CHECK(portable::exp(0.0) == 1.0);
}

TEST_CASE("The cube root agrees with libm and is exact on small cubes") {
  double worst = 0.0;
  for (double x = 1e-300; x < 1e300; x *= 1.0137)
    worst = std::max(worst, relative_error(portable::cbrt(x), std::cbrt(x)));
  CHECK(worst < 4 * epsilon);
  CHECK(portable::cbrt(27.0) == 3.0);
  CHECK(portable::cbrt(1.0) == 1.0);
}

TEST_CASE("Powers agree with libm as far as the product in the exponent allows") {
  for (double x = 1e-20; x < 1e20; x *= 1.7)
    for (double y = -3.0; y < 3.0; y += 0.37)
      CHECK(relative_error(portable::pow(x, y), std::pow(x, y)) <
            (4 + 3 * std::abs(y * std::log(x))) * epsilon);
}

TEST_CASE("Sine and cosine of a turn agree with libm") {
  double worst = 0.0;
  for (double u = 0.0; u < 1.0; u += 0x1.37p-14) {
    const portable::SineCosine a = portable::sincos_of_turn(u);
    worst = std::max(worst, std::abs(a.sine - std::sin(portable::two_pi * u)));
    worst = std::max(worst, std::abs(a.cosine - std::cos(portable::two_pi * u)));
  }
  CHECK(worst < 6 * epsilon);  // 2 pi u itself is off by up to half a unit of 6.28
  CHECK(portable::sincos_of_turn(0.25).cosine == 0.0);
  CHECK(portable::sincos_of_turn(0.5).sine == 0.0);
}
