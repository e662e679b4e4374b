#pragma once
/// \file
/// Moments of a mass distribution up to order 4, and their gravity, G = 1.
///
/// Order 1 is the mass at the centre of mass, about which the dipole vanishes. Orders 2, 3 and 4
/// add the quadrupole, the octupole and the hexadecapole. At distance r from a distribution of
/// radius b, the relative error of order p is O((b / r)^(p + 1)).
///
/// With s from the centre of mass to a particle of mass m, and d from the target to the centre of
/// mass, r = |d|, u = d / r, the moment of rank n is a symmetric traceless tensor:
///   M_n = (-1)^n (2n - 1)!! sum of m s^n without its traces;  M_2 = sum of m (3 s s^T - |s|^2 1)
///   w_n = M_n u^(n - 1) / ((n - 1)! r^n),  h_n = u.w_n / n
///   potential    -(m + sum of h_n) / r
///   acceleration ((m + sum of (2n + 1) h_n) u - sum of w_n) / r^2
/// This is the reduced Cartesian form that [Liu 2019] section 4.1.1 uses ([Stadel 2001]).
///
/// Range: the fourth power of a length can overflow or underflow a float, with coordinates in
/// parsecs or in tiny boxes. Ranks 3 and 4 are therefore stored divided by powers of `length`, the
/// distribution's own radius, which gives them the magnitude of the quadrupole. Fields are computed
/// from directions u and ratios length / r; no power of 1 / r above the second is formed.
///
/// Softening: r^2 = |d|^2 + eps^2 throughout. For order 2 and above this is an approximation good
/// to O((eps / r)^2) of the term's size, as usual in tree codes.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Order 1, mass and centre of mass: one 16-byte load, read for every visited node.
struct alignas(4 * sizeof(Real)) Monopole {
  Kokkos::Array<Real, 3> centre{};
  Real mass = Real{0};
};

/// The moments of rank 2 and above. With floats 24, 64 and 96 bytes for orders 2, 3 and 4: orders
/// above 2 fill whole 32-byte sectors of device memory. Ranks 3 and 4 store the components with at
/// most one z; the others follow from tracelessness, as M_xzz = -M_xxx - M_xyy.
template <int Order>
struct Moments;

template <>
struct Moments<1> {};

template <>
struct Moments<2> {
  Real quadrupole[6] = {};  ///< xx, xy, xz, yy, yz, zz; mass * length^2
};

template <>
struct alignas(4 * sizeof(Real)) Moments<3> {
  Real quadrupole[6] = {};
  Real length = 1;        ///< unit of the higher ranks: they are M_3 / length
  Real octupole[7] = {};  ///< xxx, xxy, xxz, xyy, xyz, yyy, yyz
  Real unused[2] = {};
};

template <>
struct alignas(4 * sizeof(Real)) Moments<4> {
  Real quadrupole[6] = {};
  Real length = 1;  ///< M_3 / length, M_4 / length^2
  Real octupole[7] = {};
  Real hexadecapole[9] = {};  ///< xxxx, xxxy, xxxz, xxyy, xxyz, xyyy, xyyz, yyyy, yyyz
  Real unused = 0;
};

static_assert(sizeof(Moments<2>) == 6 * sizeof(Real) && sizeof(Moments<3>) == 16 * sizeof(Real) &&
              sizeof(Moments<4>) == 24 * sizeof(Real));

/// Components of symmetric tensors of all ranks up to `rank`.
KOKKOS_INLINE_FUNCTION constexpr int component_count(int rank) {
  return (rank + 1) * (rank + 2) * (rank + 3) / 6;
}
/// Index among them of the component with i times x, j times y and k times z.
KOKKOS_INLINE_FUNCTION constexpr int component_of(int i, int j, int k) {
  return component_count(i + j + k - 1) + (j + k) * (j + k + 1) / 2 + k;
}
/// The same in an array that begins with rank 2, and the index of a rank's first component there.
KOKKOS_INLINE_FUNCTION constexpr int moment_component(int i, int j, int k) {
  return component_of(i, j, k) - component_count(1);
}
KOKKOS_INLINE_FUNCTION constexpr int first_component(int rank) {
  return moment_component(rank, 0, 0);
}

/// Binomial coefficient, n over k, for n up to 5.
KOKKOS_INLINE_FUNCTION constexpr int chosen(int n, int k) {
  return k == 0 || k == n ? 1 : k == 1 || k == n - 1 ? n : n == 4 ? 6 : 10;
}

/// Powers 0 to Rank of the three components of a vector.
template <int Rank, class T>
struct Powers {
  T of[3][Rank + 1];

  KOKKOS_FORCEINLINE_FUNCTION explicit Powers(const T (&s)[3]) {
    for (int a = 0; a < 3; ++a) {
      of[a][0] = 1;
      for (int n = 1; n <= Rank; ++n) of[a][n] = of[a][n - 1] * s[a];
    }
  }
};

/// The unit of length of a node's moments of rank 3 and 4 and of its local expansion.
KOKKOS_INLINE_FUNCTION Real unit_length(Real reach) {
  return reach >= Kokkos::Experimental::norm_min_v<Real> ? reach : Real(1);
}

/// Accumulates moments about the centre of mass, in double and in units of the input. First sum
/// masses, then set `centre`, then add particles or children in a fixed order.
///
/// `higher` holds ranks 2 to Order, each as a full symmetric tensor. Rank 2 is M_2. Ranks 3 and 4
/// are plain sums of m s^n; `rounded` removes the traces once. Shifts may mix both forms, because a
/// trace stays a trace under any shift.
template <int Order>
struct MomentSums {
  static_assert(Order >= 1 && Order <= 4);

  double mass = 0.0;
  double centre[3] = {};
  double higher[Order == 1 ? 1 : first_component(Order + 1)] = {};

  /// Particle to multipole: adds a mass at `shift` from the centre. 32, 66 and 114
  /// operations for orders 2, 3 and 4.
  KOKKOS_FUNCTION void add_mass_at(const double (&shift)[3], double m) {
    if constexpr (Order >= 2) {
      const double square = shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2];
      int c = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
          higher[c++] += m * (3.0 * shift[a] * shift[b] - (a == b ? square : 0.0));
    }
    if constexpr (Order >= 3) {
      const Powers<Order, double> power(shift);
      for (int rank = 3; rank <= Order; ++rank)
        for (int i = rank; i >= 0; --i)
          for (int j = rank - i; j >= 0; --j) {
            const int k = rank - i - j;
            higher[moment_component(i, j, k)] +=
                m * power.of[0][i] * power.of[1][j] * power.of[2][k];
          }
    }
  }

  /// Multipole to multipole: adds the moments of `child`, whose centre lies at `shift` from this
  /// one, by the binomial theorem. 38, 154 and 487 operations for orders 2, 3 and 4.
  KOKKOS_FUNCTION void add_moments_at(const double (&shift)[3], const MomentSums& child) {
    if constexpr (Order >= 2)
      for (int c = 0; c < first_component(Order + 1); ++c) higher[c] += child.higher[c];
    add_mass_at(shift, child.mass);
    if constexpr (Order >= 3) {
      const Powers<Order, double> power(shift);
      for (int rank = 3; rank <= Order; ++rank)
        for (int i = rank; i >= 0; --i)
          for (int j = rank - i; j >= 0; --j) {
            const int k = rank - i - j;
            for (int a = 0; a <= i; ++a)
              for (int b = 0; b <= j; ++b)
                for (int c = 0; c <= k; ++c) {
                  const int lower = a + b + c;
                  if (lower < 2 || lower == rank) continue;
                  const double ways = chosen(i, a) * chosen(j, b) * chosen(k, c);
                  higher[moment_component(i, j, k)] +=
                      ways * power.of[0][i - a] * power.of[1][j - b] * power.of[2][k - c] *
                      child.higher[moment_component(a, b, c)] * (lower == 2 ? 1.0 / 3.0 : 1.0);
                }
          }
    }
  }

  /// (2n - 1)!! times a component, with i x, j y and k z, of the traceless part of rank 3 or 4
  /// ([Applequist 1989]).
  template <int Rank>
  KOKKOS_FUNCTION double traceless(int i, int j, int k) const {
    double once = 0.0, twice = 0.0;
    if (i >= 2) once += pairs(i) * trace(i - 2, j, k);
    if (j >= 2) once += pairs(j) * trace(i, j - 2, k);
    if (k >= 2) once += pairs(k) * trace(i, j, k - 2);
    if constexpr (Rank == 4)
      if (i % 2 == 0 && j % 2 == 0)
        twice = (i == 4 || j == 4 || k == 4 ? 3.0 : 1.0) *
                (trace(2, 0, 0) + trace(0, 2, 0) + trace(0, 0, 2));
    const double whole = higher[moment_component(i, j, k)];
    return Rank == 3 ? 15.0 * whole - 3.0 * once : 105.0 * whole - 15.0 * once + 3.0 * twice;
  }

  /// The moments in storage form. `length` > 0 is the unit of the higher ranks; with the distance
  /// of the farthest particle they have the magnitude of the quadrupole.
  KOKKOS_FUNCTION Moments<Order> rounded(double length) const {
    Moments<Order> moments;
    if constexpr (Order >= 2)
      for (int c = 0; c < 6; ++c) moments.quadrupole[c] = static_cast<Real>(higher[c]);
    if constexpr (Order >= 3) {
      moments.length = static_cast<Real>(length);
      const double unit = 1.0 / static_cast<double>(moments.length);
      without_traces<3>(moments.octupole, -unit);
      if constexpr (Order == 4) without_traces<4>(moments.hexadecapole, unit * unit);
    }
    return moments;
  }

 private:
  /// Binomial coefficient (n choose 2).
  static constexpr KOKKOS_FUNCTION int pairs(int n) { return n * (n - 1) / 2; }

  /// Rank i + j + k + 2, contracted once.
  KOKKOS_FUNCTION double trace(int i, int j, int k) const {
    return higher[moment_component(i + 2, j, k)] + higher[moment_component(i, j + 2, k)] +
           higher[moment_component(i, j, k + 2)];
  }

  /// The traceless components with at most one z.
  template <int Rank>
  KOKKOS_FUNCTION void without_traces(Real* into, double factor) const {
    for (int i = Rank; i >= 0; --i)
      for (int k = 0; k <= 1 && k <= Rank - i; ++k)
        *into++ = static_cast<Real>(factor * traceless<Rank>(i, Rank - i - k, k));
  }
};

/// Accumulated acceleration and potential at a point.
template <class T>
struct GravityField {
  T x{}, y{}, z{};  ///< acceleration
  T potential{};
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_field(GravityField<T>& field, const GravityField<T>& other) {
  field.x += other.x;
  field.y += other.y;
  field.z += other.z;
  field.potential += other.potential;
}

/// Compensated addition (Kahan 1965): `rest` starts at zero and keeps the rounding errors. For
/// thousands of equal addends, whose rounding errors do not cancel.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_compensated(GravityField<T>& field, GravityField<T>& rest,
                                                 const GravityField<T>& other) {
  const auto add = [](T& sum, T& lost, const T& value) {
    const T corrected = value - lost;
    const T next = sum + corrected;
    lost = (next - sum) - corrected;
    sum = next;
  };
  add(field.x, rest.x, other.x);
  add(field.y, rest.y, other.y);
  add(field.z, rest.z, other.z);
  add(field.potential, rest.potential, other.potential);
}

/// Adds the field of a mass at (dx, dy, dz) from the target, given 1 / r. Here and below T is a
/// scalar or a SIMD vector. Operations: flops::field (flops.hpp).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_mass(GravityField<T>& field, const T& dx, const T& dy,
                                          const T& dz, const T& inverse_r, const T& mass) {
  const T potential = mass * inverse_r;
  const T pull = potential * inverse_r;
  field.x = field.x + pull * (dx * inverse_r);
  field.y = field.y + pull * (dy * inverse_r);
  field.z = field.z + pull * (dz * inverse_r);
  field.potential = field.potential - potential;
}

/// Adds the field of a node's mass and moments. Operations: flops::field, and for orders 3 and 4
/// also 2 and 5 sums of stored components.
template <int Order, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_multipole(GravityField<T>& field, const T& dx, const T& dy,
                                               const T& dz, const T& inverse_r, const T& mass,
                                               const Moments<Order>& moments) {
  static_assert(Order >= 2, "a mass alone is add_mass");
  const T inverse_r2 = inverse_r * inverse_r;
  const T ux = dx * inverse_r;
  const T uy = dy * inverse_r;
  const T uz = dz * inverse_r;
  const auto& [xx, xy, xz, yy, yz, zz] = moments.quadrupole;
  // w_2, of magnitude mass * (size / r)^2
  T wx = (T(xx) * ux + T(xy) * uy + T(xz) * uz) * inverse_r2;
  T wy = (T(xy) * ux + T(yy) * uy + T(yz) * uz) * inverse_r2;
  T wz = (T(xz) * ux + T(yz) * uy + T(zz) * uz) * inverse_r2;
  const T h2 = T(Real(0.5)) * (ux * wx + uy * wy + uz * wz);
  T pull = mass + T(Real(5)) * h2;
  T weight = mass + h2;
  if constexpr (Order >= 3) {
    // u u / 2; components with two z are subtracted, by tracelessness
    const T half_xx = T(Real(0.5)) * ux * ux;
    const T half_yy = T(Real(0.5)) * uy * uy;
    const T half_zz = T(Real(0.5)) * uz * uz;
    const T vxx = half_xx - half_zz, vyy = half_yy - half_zz;
    const T vxy = ux * uy, vxz = ux * uz, vyz = uy * uz;
    const T ratio = T(moments.length) * inverse_r;
    const T ratio3 = ratio * inverse_r2;
    const auto& [xxx, xxy, xxz, xyy, xyz, yyy, yyz] = moments.octupole;
    const T w3x =
        (T(xxx) * vxx + T(xxy) * vxy + T(xxz) * vxz + T(xyy) * vyy + T(xyz) * vyz) * ratio3;
    const T w3y =
        (T(xxy) * vxx + T(xyy) * vxy + T(xyz) * vxz + T(yyy) * vyy + T(yyz) * vyz) * ratio3;
    const T w3z =
        (T(xxz) * vxx + T(xyz) * vxy - T(xxx + xyy) * vxz + T(yyz) * vyy - T(xxy + yyy) * vyz) *
        ratio3;
    const T h3 = T(Real(1) / Real(3)) * (ux * w3x + uy * w3y + uz * w3z);
    pull = pull + T(Real(7)) * h3;
    weight = weight + h3;
    wx = wx + w3x;
    wy = wy + w3y;
    wz = wz + w3z;
    if constexpr (Order == 4) {
      // u u u / 6, likewise without components with two z
      const T third_zz = T(Real(1) / Real(3)) * half_zz;
      const T vxxx = ux * (T(Real(1) / Real(3)) * half_xx - half_zz);
      const T vyyy = uy * (T(Real(1) / Real(3)) * half_yy - half_zz);
      const T vxxz = uz * (half_xx - third_zz), vyyz = uz * (half_yy - third_zz);
      const T vxxy = uy * vxx, vxyy = ux * vyy, vxyz = vxy * uz;
      const T ratio4 = ratio3 * ratio;
      const auto& [xxxx, xxxy, xxxz, xxyy, xxyz, xyyy, xyyz, yyyy, yyyz] = moments.hexadecapole;
      const T w4x = (T(xxxx) * vxxx + T(xxxy) * vxxy + T(xxxz) * vxxz + T(xxyy) * vxyy +
                     T(xxyz) * vxyz + T(xyyy) * vyyy + T(xyyz) * vyyz) *
                    ratio4;
      const T w4y = (T(xxxy) * vxxx + T(xxyy) * vxxy + T(xxyz) * vxxz + T(xyyy) * vxyy +
                     T(xyyz) * vxyz + T(yyyy) * vyyy + T(yyyz) * vyyz) *
                    ratio4;
      const T w4z = (T(xxxz) * vxxx + T(xxyz) * vxxy - T(xxxx + xxyy) * vxxz + T(xyyz) * vxyy -
                     T(xxxy + xyyy) * vxyz + T(yyyz) * vyyy - T(xxyy + yyyy) * vyyz) *
                    ratio4;
      const T h4 = T(Real(0.25)) * (ux * w4x + uy * w4y + uz * w4z);
      pull = pull + T(Real(9)) * h4;
      weight = weight + h4;
      wx = wx + w4x;
      wy = wy + w4y;
      wz = wz + w4z;
    }
  }
  field.x = field.x + (pull * ux - wx) * inverse_r2;
  field.y = field.y + (pull * uy - wy) * inverse_r2;
  field.z = field.z + (pull * uz - wz) * inverse_r2;
  field.potential = field.potential - weight * inverse_r;
}

}  // namespace copse
