#pragma once
/// \file
/// Random variates of the particle models, computed from a `RandomStream` in portable arithmetic.

#include <copse/particles/philox.hpp>
#include <copse/particles/portable_math.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

using Vector3 = Kokkos::Array<double, 3>;

/// x += factor * y
KOKKOS_FORCEINLINE_FUNCTION void add_scaled(Vector3& x, double factor, const Vector3& y) {
  for (int a = 0; a < 3; ++a) x[a] += factor * y[a];
}

/// Three independent standard normal numbers (Box and Muller 1958). Two blocks.
KOKKOS_FORCEINLINE_FUNCTION Vector3 draw_normal(RandomStream& random) {
  const auto first = random.next_pair();
  const auto second = random.next_pair();
  const double r1 = Kokkos::sqrt(-2.0 * portable::log(first[0]));
  const double r2 = Kokkos::sqrt(-2.0 * portable::log(second[0]));
  const portable::SineCosine a1 = portable::sincos_of_turn(first[1]);
  const portable::SineCosine a2 = portable::sincos_of_turn(second[1]);
  return {r1 * a1.cosine, r1 * a1.sine, r2 * a2.cosine};
}

/// N independent standard normal numbers. One block per pair.
template <int N>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<double, N> draw_normals(RandomStream& random) {
  Kokkos::Array<double, N> x{};
  for (int k = 0; k < N; k += 2) {
    const auto u = random.next_pair();
    const double r = Kokkos::sqrt(-2.0 * portable::log(u[0]));
    const portable::SineCosine a = portable::sincos_of_turn(u[1]);
    x[k] = r * a.cosine;
    if (k + 1 < N) x[k + 1] = r * a.sine;
  }
  return x;
}

/// A direction, uniform on the unit sphere. One block.
KOKKOS_FORCEINLINE_FUNCTION Vector3 draw_direction(RandomStream& random) {
  const auto u = random.next_pair();
  const double z = 2.0 * u[0] - 1.0;
  const double rho = Kokkos::sqrt(1.0 - z * z);
  const portable::SineCosine a = portable::sincos_of_turn(u[1]);
  return {rho * a.cosine, rho * a.sine, z};
}

/// A point, uniform in the unit ball: rejection from the cube (6 / pi = 1.9 blocks on average).
KOKKOS_FORCEINLINE_FUNCTION Vector3 draw_in_ball(RandomStream& random) {
  for (;;) {
    const Vector3 u = random.next_triple();
    const Vector3 x{2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0, 2.0 * u[2] - 1.0};
    if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= 1.0) return x;
  }
}

}  // namespace copse
