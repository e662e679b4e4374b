#pragma once
/// \file
/// The terms of an expansion of 1 / r in Legendre polynomials, for oracles in double: no tensors,
/// so they share nothing with moments.hpp.
///
/// D is the vector from the expansion's centre to the centre of mass of a node, and t the vector
/// from there to a body of the node minus the vector y from the expansion's centre to the target:
///   1 / |D + t| = sum of T_k,  T_k = |t|^k P_k(-cos(D, t)) / |D|^(k + 1)
/// with the Legendre polynomials P_k. The recurrence of P_k gives
///   k |D|^2 T_k = -(2 k - 1) (D.t) T_(k - 1) - (k - 1) |t|^2 T_(k - 2)
/// Moments up to rank p with local expansions up to rank p + 1 keep the sum of T_0 to T_(p + 1)
/// minus the value of T_(p + 1) at y = 0, which needs moments of rank p + 1. In a tree walk the
/// centre of the expansion is the target itself, so y = 0.

#include <Kokkos_Array.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace copse::legendre {

using Vector = std::array<double, 3>;

inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// a - b, of stored coordinates.
template <class T>
Vector difference(const Kokkos::Array<T, 3>& a, const Kokkos::Array<T, 3>& b) {
  Vector d;
  for (int i = 0; i < 3; ++i)
    d[static_cast<std::size_t>(i)] = static_cast<double>(a[i]) - static_cast<double>(b[i]);
  return d;
}

/// A term T_k and its gradient with respect to t.
struct Term {
  double value = 0.0;
  Vector gradient{};
};

/// The sum of T_0 to T_highest, and the last of them.
struct Terms {
  Term sum, last;
};

/// D must not be zero. O(highest).
inline Terms terms_of(const Vector& d, const Vector& t, int highest) {
  const double dd = dot(d, d), dt = dot(d, t), tt = dot(t, t);
  Term before, last{1.0 / std::sqrt(dd), {}};
  Term sum = last;
  for (int k = 1; k <= highest; ++k) {
    const double a = -(2 * k - 1) / (k * dd), b = -(k - 1) / (k * dd);
    Term next{a * dt * last.value + b * tt * before.value, {}};
    for (std::size_t i = 0; i < 3; ++i)
      next.gradient[i] = a * (d[i] * last.value + dt * last.gradient[i]) +
                         b * (2.0 * t[i] * before.value + tt * before.gradient[i]);
    sum.value += next.value;
    for (std::size_t i = 0; i < 3; ++i) sum.gradient[i] += next.gradient[i];
    before = std::exchange(last, next);
  }
  return {sum, last};
}

}  // namespace copse::legendre
