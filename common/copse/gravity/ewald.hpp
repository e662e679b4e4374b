#pragma once
/// \file
/// Gravity in a periodic cube of side L, G = 1: the sums of [Ewald 1921] for gravity
/// ([Hernquist, Bouchet, Suto 1991]).
///
/// A uniform background cancels the mean density. With d from the target to a unit mass, and for
/// any a > 0, the potential is -g(d), where
///   g(d) = sum of erfc(a r_n) / r_n,  r_n = |d + n L|, over all images n
///        + sum of exp(-(pi h / (a L))^2) / (pi L h^2) cos(2 pi h.d / L) over all integer h != 0
///        - pi / (a^2 L^3)
/// Copse sums the near images, |n| <= 1 on every axis, one by one, and splits them:
///   erfc(a r) / r = 1 / r - erf(a r) / r
/// The first part is Newtonian, or softened, and is what a tree walk of the 27 images computes. The
/// second part is finite at r = 0. All other images are farther than L from any target in the box,
/// and are neglected: erfc(a L) / L is 1.5e-12 / L with a = 5 / L.
///
/// In terms of the Boys functions F_n(t) = integral of u^(2n) exp(-t u^2) for u from 0 to 1,
///   erf(a r) / r = 2 a / sqrt(pi) F_0(a^2 r^2)
///   (1/r) d/dr F_n(a^2 r^2) = -2 a^2 F_(n+1)(a^2 r^2)

#include <copse/gravity/moments.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace copse {

/// Images that are summed one by one; the middle one is the box itself.
inline constexpr int near_images = 27;
inline constexpr int own_image = near_images / 2;
/// n of an image along an axis: -1, 0 or 1.
KOKKOS_INLINE_FUNCTION constexpr int image_shift(int image, int axis) {
  return (axis == 0 ? image : axis == 1 ? image / 3 : image / 9) % 3 - 1;
}

/// F_0 to F_Most at t >= 0. Relative errors are below 1e-14. Some 100 flops.
template <int Most>
struct BoysFunctions {
  double of[Most + 1];

  KOKKOS_FUNCTION explicit BoysFunctions(double t) {
    const double decay = Kokkos::exp(-t);
    if (t < 3.0) {  // upward recurrence would cancel: series for F_Most, downward recurrence
      double term = 1.0 / (2 * Most + 1), sum = term;
      for (int i = 1; term > 1e-17 * sum; ++i) {
        term *= 2.0 * t / (2 * (Most + i) + 1);
        sum += term;
      }
      of[Most] = decay * sum;
      for (int n = Most; n-- > 0;) of[n] = (2.0 * t * of[n + 1] + decay) / (2 * n + 1);
    } else {
      const double root = Kokkos::sqrt(t);
      of[0] = 0.5 * Kokkos::sqrt(Kokkos::numbers::pi) / root * Kokkos::erf(root);
      for (int n = 0; n < Most; ++n) of[n + 1] = ((2 * n + 1) * of[n] - decay) / (2.0 * t);
    }
  }
};

/// 2 a / sqrt(pi)
KOKKOS_INLINE_FUNCTION double screening_factor(double a) {
  return 2.0 * a / Kokkos::sqrt(Kokkos::numbers::pi);
}

/// A pair h, -h of reciprocal vectors and the amplitudes of its cosine and sine.
struct Wave {
  std::int32_t h[3] = {};
  double cosine = 0.0, sine = 0.0;
};

/// exp(-(pi h / (a L))^2) / (pi L h^2), twice: for h and -h.
inline double wave_weight(const Wave& wave, double a, double side) {
  const double square = wave.h[0] * wave.h[0] + wave.h[1] * wave.h[1] + wave.h[2] * wave.h[2];
  const double pi = Kokkos::numbers::pi, reduced = pi / (a * side);
  return 2.0 * std::exp(-reduced * reduced * square) / (pi * side * square);
}

/// One of each pair h, -h with 0 < |h| <= `most`, without amplitudes.
inline std::vector<Wave> waves_up_to(int most) {
  std::vector<Wave> waves;
  for (int x = 0; x <= most; ++x)
    for (int y = x == 0 ? 0 : -most; y <= most; ++y)
      for (int z = x == 0 && y == 0 ? 1 : -most; z <= most; ++z)
        if (x * x + y * y + z * z <= most * most) waves.push_back({{x, y, z}});
  return waves;
}

/// The sum of waves: potential -(cosine cos(k.d) + sine sin(k.d)), k = 2 pi h / L, with d from the
/// target to the origin of the phases.
template <class MemorySpace>
struct WaveSum {
  Kokkos::View<const Wave*, MemorySpace> waves;
  double side = 1.0;

  KOKKOS_FUNCTION void add(GravityField<double>& field, const double (&d)[3], Count wave) const {
    const Wave w = waves(wave);
    const double unit = 2.0 * Kokkos::numbers::pi / side;
    const double phase = unit * (w.h[0] * d[0] + w.h[1] * d[1] + w.h[2] * d[2]);
    const double c = Kokkos::cos(phase), s = Kokkos::sin(phase);
    const double slope = unit * (w.cosine * s - w.sine * c);
    field.x += slope * w.h[0];
    field.y += slope * w.h[1];
    field.z += slope * w.h[2];
    field.potential -= w.cosine * c + w.sine * s;
  }
};

}  // namespace copse
