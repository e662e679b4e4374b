#pragma once
/// \file
/// Local expansions: the potential of distant masses as a Taylor series about the centre of a node,
/// for the fast multipole method ([Greengard, Rokhlin 1987]; Cartesian form as [Dehnen 2002]).
///
/// With D from the centre of the target node to that of a source node, y from the target's centre
/// to a particle, and multi-indices n and m,
///   potential(y) = sum over m of l_m y^m
///   l_m = (-1)^(|m| + 1) sum over n of ((n + m)! / (n! m!)) S_n a_(n + m)(D)
/// where S_n is the sum of m s^n over the source's particles and a_k the Taylor coefficients of 1 /
/// |D|, with
///   |k| |D|^2 a_k = -(2 |k| - 1) sum over i of D_i a_(k - e_i)
///                  - (|k| - 1) sum over i of a_(k - 2 e_i)
/// S_n may be traceless, because the a_k are. With multipoles up to rank p, ranks |n| + |m| <= p +
/// 1 are kept: then accelerations lack terms of the order ((b_source + b_target) / r)^(p + 1), as
/// in a tree walk.
///
/// Range: coefficients are stored times length^|m|, with the target's own length, so that all of
/// them have the magnitude of a potential, and no power of 1 / r above the second is formed.

#include <copse/backend/lanes.hpp>
#include <copse/gravity/moments.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace copse {

/// The highest rank of local expansions to go with multipoles of an order.
constexpr KOKKOS_FUNCTION int local_rank(int order) {
  return order + 1;
}
/// The powers of x, y and z of a component.
struct MultiIndex {
  int of[3]{};

  static constexpr KOKKOS_FUNCTION MultiIndex at(int component) {
    int rank = 0;
    while (component >= component_count(rank)) ++rank;
    int rest = component - (rank == 0 ? 0 : component_count(rank - 1));
    int yz = 0;
    while (rest > yz) rest -= ++yz;
    return {{rank - yz, yz - rest, rest}};
  }
  constexpr KOKKOS_FUNCTION int rank() const { return of[0] + of[1] + of[2]; }
  /// The component with `steps` fewer of one axis.
  constexpr KOKKOS_FUNCTION int lower(int axis, int steps) const {
    return component_of(of[0] - (axis == 0 ? steps : 0), of[1] - (axis == 1 ? steps : 0),
                        of[2] - (axis == 2 ? steps : 0));
  }
  constexpr KOKKOS_FUNCTION double factorial() const {
    double product = 1.0;
    for (const int n : of)
      for (int i = 2; i <= n; ++i) product *= i;
    return product;
  }
};

/// Calls f.operator()<c>() for c = 0 ... N - 1. The indices are constants, so that arrays stay in
/// registers.
template <int N, class F>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(F&& f) {
  [&]<int... C>(std::integer_sequence<int, C...>) {
    (f.template operator()<C>(), ...);
  }
  (std::make_integer_sequence<int, N>{});
}

namespace detail {

/// A product of a local expansion: component m gets moment n times derivative n + m.
struct LocalTerm {
  int m = 0, n = 0, sum = 0;
  bool first = false, last = false;  ///< of the products of m
};

template <int Order>
struct LocalTerms {
  static constexpr int rank = local_rank(Order);

  static constexpr bool exists(int m, int n) {
    const int of_n = MultiIndex::at(n).rank();
    return of_n != 1 && MultiIndex::at(m).rank() + of_n <= rank;
  }
  static constexpr int number() {
    int terms = 0;
    for (int m = 0; m < component_count(rank); ++m)
      for (int n = 0; n < component_count(Order == 1 ? 0 : Order); ++n) terms += exists(m, n);
    return terms;
  }
  static constexpr auto list() {
    Kokkos::Array<LocalTerm, static_cast<std::size_t>(number())> terms{};
    int t = 0;
    for (int m = 0; m < component_count(rank); ++m) {
      const int first = t;
      for (int n = 0; n < component_count(Order == 1 ? 0 : Order); ++n) {
        if (!exists(m, n)) continue;
        const MultiIndex a = MultiIndex::at(m), b = MultiIndex::at(n);
        terms[t] = {m, n, component_of(a.of[0] + b.of[0], a.of[1] + b.of[1], a.of[2] + b.of[2]),
                    t == first, false};
        ++t;
      }
      terms[t - 1].last = true;
    }
    return terms;
  }
  static constexpr int count = number();
  static constexpr auto terms = list();
};

/// S_n / n! of a node in units of r^|n|, from its stored moments `raw` (moments.hpp).
template <int Order, class T>
KOKKOS_FORCEINLINE_FUNCTION void fill_sources(T* s, const T& mass, const T* raw,
                                              const T& inverse_r) {
  s[0] = mass;
  if constexpr (Order >= 2) {
    const T inverse_r2 = inverse_r * inverse_r;
    const T second = inverse_r2 * T(Real(1.0 / 3.0));
    const T half = T(Real(0.5)) * second;
    T* const q = s + component_count(1);
    q[0] = raw[0] * half;
    q[1] = raw[1] * second;
    q[2] = raw[2] * second;
    q[3] = raw[3] * half;
    q[4] = raw[4] * second;
    q[5] = raw[5] * half;
    if constexpr (Order >= 3) {
      const T ratio = raw[6] * inverse_r;
      const T third = inverse_r2 * ratio * T(Real(-1.0 / 15.0));
      const T* const o = raw + 7;  // xxx, xxy, xxz, xyy, xyz, yyy, yyz
      const T by2 = third * T(Real(0.5)), by6 = third * T(Real(1.0 / 6.0));
      T* const c = s + component_count(2);
      c[0] = o[0] * by6;
      c[1] = o[1] * by2;
      c[2] = o[2] * by2;
      c[3] = o[3] * by2;
      c[4] = o[4] * third;
      c[5] = T(Real(0)) - (o[0] + o[3]) * by2;
      c[6] = o[5] * by6;
      c[7] = o[6] * by2;
      c[8] = T(Real(0)) - (o[1] + o[5]) * by2;
      c[9] = T(Real(0)) - (o[2] + o[6]) * by6;
      if constexpr (Order == 4) {
        const T fourth = inverse_r2 * ratio * ratio * T(Real(1.0 / 105.0));
        const T* const h = raw + 14;  // xxxx, xxxy, xxxz, xxyy, xxyz, xyyy, xyyz, yyyy, yyyz
        const T two = fourth * T(Real(0.5)), four = fourth * T(Real(0.25));
        const T six = fourth * T(Real(1.0 / 6.0)), all = fourth * T(Real(1.0 / 24.0));
        const T xxzz = T(Real(0)) - (h[0] + h[3]), yyzz = T(Real(0)) - (h[3] + h[7]);
        T* const f = s + component_count(3);
        f[0] = h[0] * all;
        f[1] = h[1] * six;
        f[2] = h[2] * six;
        f[3] = h[3] * four;
        f[4] = h[4] * two;
        f[5] = xxzz * four;
        f[6] = h[5] * six;
        f[7] = h[6] * two;
        f[8] = T(Real(0)) - (h[1] + h[5]) * two;
        f[9] = T(Real(0)) - (h[2] + h[6]) * six;
        f[10] = h[7] * all;
        f[11] = h[8] * six;
        f[12] = yyzz * four;
        f[13] = T(Real(0)) - (h[4] + h[8]) * six;
        f[14] = T(Real(0)) - (xxzz + yyzz) * all;
      }
    }
  }
}

/// Adds the terms of the recursion of component C that lower its power along one axis: by 1 to
/// `once`, by 2 to `twice`. The factors `power` convert it from Taylor coefficients to derivatives.
template <int C, int Axis, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_lower(T& once, T& twice, const T* a, const T (&u)[3]) {
  constexpr MultiIndex k = MultiIndex::at(C);
  constexpr int power = k.of[Axis];
  if constexpr (power >= 1)
    once = once + T(static_cast<Real>(power)) * (u[Axis] * a[k.lower(Axis, 1)]);
  if constexpr (power >= 2)
    twice = twice + T(static_cast<Real>(power * (power - 1))) * a[k.lower(Axis, 2)];
}

/// The derivatives of 1 / |d| at the direction u, in units of r^-(|k| + 1).
template <int Rank, class T>
KOKKOS_FORCEINLINE_FUNCTION void fill_derivatives(T* a, const T (&u)[3]) {
  a[0] = T(Real(1));
  unrolled<component_count(Rank) - 1>([&]<int Before>() {
    constexpr int c = Before + 1;
    constexpr int n = MultiIndex::at(c).rank();
    T once(Real(0)), twice(Real(0));
    add_lower<c, 0>(once, twice, a, u);
    add_lower<c, 1>(once, twice, a, u);
    add_lower<c, 2>(once, twice, a, u);
    a[c] = T(static_cast<Real>(-(2.0 * n - 1.0) / n)) * once +
           T(static_cast<Real>(-(n - 1.0) / n)) * twice;
  });
}

}  // namespace detail

/// Multipole to local: adds the field of a node at d = (dx, dy, dz) from the target's centre.
/// `raw` are its stored moments above the mass, `length` the target's. T is a scalar or a SIMD
/// vector. Operations: flops::to_local (flops.hpp).
template <int Order, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_to_local(T (&local)[component_count(local_rank(Order))],
                                              const T (&d)[3], const T& inverse_r, const T& mass,
                                              const T* raw, const T& length) {
  constexpr int rank = local_rank(Order);
  T s[component_count(Order)], a[component_count(rank)];
  detail::fill_sources<Order>(s, mass, raw, inverse_r);
  const T u[3] = {d[0] * inverse_r, d[1] * inverse_r, d[2] * inverse_r};
  detail::fill_derivatives<rank>(a, u);
  T scale[rank + 1];
  scale[0] = inverse_r;
  for (int n = 1; n <= rank; ++n) scale[n] = scale[n - 1] * (length * inverse_r);
  T sum(Real(0));
  unrolled<detail::LocalTerms<Order>::count>([&]<int t>() {
    constexpr detail::LocalTerm term = detail::LocalTerms<Order>::terms[t];
    sum = term.first ? s[term.n] * a[term.sum] : sum + s[term.n] * a[term.sum];
    if constexpr (term.last) {
      constexpr MultiIndex m = MultiIndex::at(term.m);
      constexpr double factor = (m.rank() % 2 == 0 ? -1.0 : 1.0) / m.factorial();
      local[term.m] = local[term.m] + sum * scale[m.rank()] * T(static_cast<Real>(factor));
    }
  });
}

/// Local to local: adds the expansion of a parent whose centre is at -shift from this one's.
/// Lengths are those of both nodes. T is a scalar. Operations: flops::shifted.
template <int Rank, class T>
KOKKOS_FUNCTION void add_shifted(T* local, T length, const T* parent, T parent_length,
                                 const T (&shift)[3]) {
  const Powers<Rank, T> power(
      {shift[0] / parent_length, shift[1] / parent_length, shift[2] / parent_length});
  T unit = 1;
  for (int rank = 0; rank <= Rank; ++rank, unit *= length / parent_length)
    for (int j = 0; j <= rank; ++j)
      for (int k = 0; k <= rank - j; ++k) {
        const int i = rank - j - k;
        T sum = 0;
        for (int a = i; a <= Rank - j - k; ++a)
          for (int b = j; b <= Rank - a - k; ++b)
            for (int c = k; c <= Rank - a - b; ++c)
              sum += static_cast<T>(chosen(a, i) * chosen(b, j) * chosen(c, k)) *
                     power.of[0][a - i] * power.of[1][b - j] * power.of[2][c - k] *
                     parent[component_of(a, b, c)];
        local[component_of(i, j, k)] += unit * sum;
      }
}

/// Local to particle: the field at y from the centre. T is a scalar. Operations: flops::of_local.
template <int Rank, class T>
KOKKOS_FORCEINLINE_FUNCTION GravityField<T> field_of_local(const T* local, T length,
                                                           const T (&y)[3]) {
  const T inverse = T(1) / length;
  const Powers<Rank, T> power({y[0] * inverse, y[1] * inverse, y[2] * inverse});
  T sum[4] = {};
  unrolled<component_count(Rank)>([&]<int c>() {
    constexpr MultiIndex k = MultiIndex::at(c);
    const T x = power.of[0][k.of[0]], yy = power.of[1][k.of[1]], z = power.of[2][k.of[2]];
    sum[3] += local[c] * (x * yy * z);
    if constexpr (k.of[0] > 0)
      sum[0] += static_cast<T>(k.of[0]) * local[c] * (power.of[0][k.of[0] - 1] * yy * z);
    if constexpr (k.of[1] > 0)
      sum[1] += static_cast<T>(k.of[1]) * local[c] * (x * power.of[1][k.of[1] - 1] * z);
    if constexpr (k.of[2] > 0)
      sum[2] += static_cast<T>(k.of[2]) * local[c] * (x * yy * power.of[2][k.of[2] - 1]);
  });
  return {-sum[0] * inverse, -sum[1] * inverse, -sum[2] * inverse, sum[3]};
}

}  // namespace copse
