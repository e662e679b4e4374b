// Oracles: the definition of an eigenvector, and matrices whose eigenvalues are known.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <fof/catalogue/principal_axes.hpp>
#include <random>

namespace copse::fof {
namespace {

using Catch::Approx;
using Matrix = Kokkos::Array<double, 6>;
constexpr int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

void check_axes(const Matrix& m) {
  const PrincipalAxes found = principal_axes(m);
  double scale = 0.0;
  for (int k = 0; k < 6; ++k) scale = std::max(scale, std::fabs(m[k]));
  for (int i = 0; i < 3; ++i) {
    double largest = 0.0;
    for (int r = 0; r < 3; ++r) {
      double product = 0.0;
      for (int c = 0; c < 3; ++c) product += m[at[r][c]] * found.axes[i][c];
      CHECK(std::fabs(product - found.values[i] * found.axes[i][r]) <= 4e-15 * scale);
      if (std::fabs(found.axes[i][r]) > std::fabs(largest)) largest = found.axes[i][r];
    }
    CHECK(largest > 0.0);
    for (int j = 0; j < 3; ++j) {
      double dot = 0.0;
      for (int c = 0; c < 3; ++c) dot += found.axes[i][c] * found.axes[j][c];
      CHECK(std::fabs(dot - (i == j ? 1.0 : 0.0)) < 4e-15);
    }
  }
  CHECK(found.values[0] >= found.values[1]);
  CHECK(found.values[1] >= found.values[2]);
}

TEST_CASE("Axes are orthonormal eigenvectors, by decreasing eigenvalue") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    Matrix m{};
    for (int k = 0; k < 6; ++k) m[k] = static_cast<double>(random()) / 2147483648.0 - 1.0;
    if (trial % 3 == 1) m[1] = m[2] = 0.0;
    if (trial % 3 == 2)  // widely different magnitudes
      for (int k = 0; k < 6; ++k) m[k] *= std::pow(10.0, trial % 7 * (k - 3));
    check_axes(m);
  }
}

TEST_CASE("Known eigenvalues are found, whatever their scale") {
  for (const double scale : {1.0, 1e-300, 1e300}) {
    // (2 1 0; 1 2 0; 0 0 5) has eigenvalues 5, 3 and 1.
    const PrincipalAxes found =
        principal_axes(Matrix{2 * scale, scale, 0, 2 * scale, 0, 5 * scale});
    CHECK(found.values[0] == Approx(5 * scale).epsilon(1e-15));
    CHECK(found.values[1] == Approx(3 * scale).epsilon(1e-15));
    CHECK(found.values[2] == Approx(1 * scale).epsilon(1e-15));
    CHECK(found.axes[1][0] == Approx(std::sqrt(0.5)).epsilon(1e-15));
    CHECK(found.axes[2][1] == Approx(-std::sqrt(0.5)).epsilon(1e-15));
  }
}

TEST_CASE("A matrix of zeros has the axes of the coordinates") {
  const PrincipalAxes found = principal_axes(Matrix{});
  for (int i = 0; i < 3; ++i) {
    CHECK(found.values[i] == 0.0);
    for (int j = 0; j < 3; ++j) CHECK(found.axes[i][j] == (i == j ? 1.0 : 0.0));
  }
}

}  // namespace
}  // namespace copse::fof
