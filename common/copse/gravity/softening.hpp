#pragma once
/// \file
/// Softened gravity of a pair of particles with softening lengths e_i and e_j, G = 1.
///
/// Plummer: r^2 + (e_i^2 + e_j^2) / 2 takes the place of r^2, with equal lengths r^2 + e^2.
///
/// Spline: the mass is spread over the cubic kernel of [Monaghan, Lattanzio 1985], as in
/// [Hernquist, Katz 1989], with h = (e_i + e_j) / 2. In u = r / h,
///   W = (1 - 3/2 u^2 + 3/4 u^3) / (pi h^3)  for u <= 1,  (2 - u)^3 / (4 pi h^3)  for u <= 2,
/// and 0 beyond the support e_i + e_j = 2 h, where the pair is exactly Newtonian. The pull is the
/// mass inside r over r^2. With M the integral of 4 pi r^2 W from 0 to r, and w = 2 - u,
///   M = u^3 (4/3 - 6/5 u^2 + 1/2 u^3)         for u <= 1
///     = 1 - w^4 (1 - 4/5 w + 1/6 w^2)         for u <= 2
/// and the potential is -a, with a = M / r + the integral of 4 pi r W from r to 2 h:
///   a = (7/5 - 2/3 u^2 + 3/10 u^4 - 1/10 u^5) / h    for u <= 1
///     = (1 - w^5 (3 - w) / 30) / r                   for u <= 2
/// At r = 0 the potential is -14/5 / (e_i + e_j) and the force 0. The polynomials in w do not
/// cancel near the support, and with w = 0 they are the Newtonian field.
///
/// Range: force factors are inverse cubes of lengths, so in floats lengths must lie between about
/// 1e-12 and 1e12.

#include <copse/backend/lanes.hpp>
#include <copse/gravity/moments.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace copse {

enum class SofteningKernel : std::uint8_t { plummer, spline };
inline constexpr std::array<const char*, 2> softening_names{"plummer", "spline"};

/// The field of a unit mass at d from the target: potential -`potential`, acceleration `force` d.
/// Without softening these are 1 / r and 1 / r^3. T is a scalar or a SIMD vector.
template <class T>
struct PairFactors {
  T potential, force;
};

/// 1 / sqrt(square), and 0 where square is less than any normal `Real`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T inverse_root(const T& square) {
  return select(square >= T(Kokkos::Experimental::norm_min_v<Real>), lane_rsqrt(square), T(0));
}

/// `r2` is the squared distance, `mean2` the mean of the squares of both lengths. Zero if both are
/// zero.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION PairFactors<T> plummer_factors(const T& r2, const T& mean2) {
  const T inverse = inverse_root(r2 + mean2);
  return {inverse, inverse * inverse * inverse};
}

/// `r2` is the squared distance, `support` the sum of both lengths. Zero if both are zero.
/// flops::spline_factors operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION PairFactors<T> spline_factors(const T& r2, const T& support) {
  const T zero(0);
  const T inverse_r = inverse_root(r2);
  const T r = r2 * inverse_r;
  const T inverse_h = select(support > zero, T(2) / support, zero);
  const T u = r * inverse_h;
  const T u2 = u * u;
  const T w = lane_max(support - r, zero) * inverse_h;
  const T w2 = w * w;
  const T w4 = w2 * w2;
  const T outer_potential = inverse_r * (T(1) - w4 * w * (T(0.1) - T(1.0 / 30) * w));
  const T outer_force =
      inverse_r * inverse_r * inverse_r * (T(1) - w4 * (T(1) - w * (T(0.8) - T(1.0 / 6) * w)));
  const T inner_potential = inverse_h * (T(1.4) - u2 * (T(2.0 / 3) - u2 * (T(0.3) - T(0.1) * u)));
  const T inner_force =
      inverse_h * inverse_h * inverse_h * (T(4.0 / 3) - u2 * (T(1.2) - T(0.5) * u));
  const auto inner = r + r < support;
  return {select(inner, inner_potential, outer_potential), select(inner, inner_force, outer_force)};
}

/// Adds the field of a mass at (dx, dy, dz) from the target. flops::softened_mass operations.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_softened_mass(GravityField<T>& field, const T& dx, const T& dy,
                                                   const T& dz, const PairFactors<T>& factors,
                                                   const T& mass) {
  const T pull = mass * factors.force;
  field.x = field.x + pull * dx;
  field.y = field.y + pull * dy;
  field.z = field.z + pull * dz;
  field.potential = field.potential - mass * factors.potential;
}

}  // namespace copse
