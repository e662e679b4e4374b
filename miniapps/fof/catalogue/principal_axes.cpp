#include "principal_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace copse::fof {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

/// Convergence is quadratic: five sweeps suffice for nearly every matrix.
constexpr int most_sweeps = 50;

/// Rotates axes p and q of `m` so that m[p][q] vanishes, and the rows of `axes` with them.
void rotate(Matrix& m, Matrix& axes, std::size_t p, std::size_t q) {
  if (m[p][q] == 0.0) return;
  const double half = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const double t = std::copysign(1.0, half) / (std::fabs(half) + std::hypot(half, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0);
  const double s = t * c;
  const std::size_t r = 3 - p - q;
  const double mpq = m[p][q];
  m[p][p] -= t * mpq;
  m[q][q] += t * mpq;
  m[p][q] = m[q][p] = 0.0;
  const double mrp = m[r][p], mrq = m[r][q];
  m[r][p] = m[p][r] = c * mrp - s * mrq;
  m[r][q] = m[q][r] = s * mrp + c * mrq;
  for (std::size_t k = 0; k < 3; ++k) {
    const double ap = axes[p][k], aq = axes[q][k];
    axes[p][k] = c * ap - s * aq;
    axes[q][k] = s * ap + c * aq;
  }
}

}  // namespace

PrincipalAxes principal_axes(const Kokkos::Array<double, 6>& matrix) {
  // Scale to 1 to avoid overflow and underflow of squares.
  double scale = 0.0;
  for (int k = 0; k < 6; ++k) scale = std::max(scale, std::fabs(matrix[k]));
  Matrix axes{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  Matrix m{};
  if (scale > 0.0) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) m[i][j] = m[j][i] = matrix[k++] / scale;
  }
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    if (std::fabs(m[0][1]) + std::fabs(m[0][2]) + std::fabs(m[1][2]) < 1e-30) break;
    rotate(m, axes, 0, 1);
    rotate(m, axes, 0, 2);
    rotate(m, axes, 1, 2);
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return m[a][a] > m[b][b]; });
  PrincipalAxes result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& axis = axes[order[i]];
    const auto largest = std::max_element(
        axis.begin(), axis.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    const double sign = std::copysign(1.0, *largest);
    result.values[i] = scale * m[order[i]][order[i]];
    for (std::size_t k = 0; k < 3; ++k) result.axes[i][k] = sign * axis[k];
  }
  return result;
}

}  // namespace copse::fof
