#pragma once
/// \file
/// Inputs that are difficult for a bisection, by name.

#include <copse/backend/types.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace copse::test {

using HostParticles = Particles<Kokkos::HostSpace>;

inline HostParticles particles_from(Count n, const Box<3>& box,
                                    const std::function<std::array<Real, 3>(Count)>& position) {
  HostParticles p;
  p.position = Points<3, Kokkos::HostSpace>("copse::test::input", n);
  p.box = box;
  for (Count i = 0; i < n; ++i) {
    const auto x = position(i);
    for (int a = 0; a < 3; ++a) p.position(i, a) = x[a];
  }
  return p;
}

inline std::vector<std::string> input_names() {
  return {"random",  "sorted",    "reversed",   "constant",  "on_lower_face", "duplicates",
          "lattice", "clustered", "neighbours", "denormals", "signed_zeros"};
}

/// n particles in a box; the same on every call.
inline HostParticles named_input(const std::string& name, Count n) {
  std::mt19937 bits(20240501);
  const auto uniform = [&] { return static_cast<Real>(bits() >> 8) / Real(1 << 24); };
  Box<3> box = unit_box<3>();
  const auto make = [&](const std::function<std::array<Real, 3>(Count)>& f) {
    return particles_from(n, box, f);
  };
  const auto ramp = [n](Count i) { return static_cast<Real>(i) / static_cast<Real>(n); };
  if (name == "sorted") return make([&](Count i) { return std::array{ramp(i), ramp(i), ramp(i)}; });
  if (name == "reversed")
    return make([&](Count i) { return std::array{ramp(n - i), ramp(n - i), ramp(n - i)}; });
  if (name == "constant")
    return make([](Count) { return std::array{Real(0.25), Real(0.5), Real(0.75)}; });
  if (name == "on_lower_face") return make([](Count) { return std::array<Real, 3>{}; });
  if (name == "duplicates")
    return make([&](Count) {
      const auto few = [&] { return static_cast<Real>(bits() % 4) / Real(4); };
      const Real x = few(), y = few();
      return std::array{x, y, few()};
    });
  if (name == "lattice")
    return make([&](Count i) {
      return std::array{Real(i % 8) / 8, Real(i / 8 % 8) / 8, Real(i / 64 % 8) / 8};
    });
  if (name == "clustered") {
    // Most of the volume is empty, so cuts crowd into one corner. Coordinates are far from 1; the
    // box is not a cube and not at the origin.
    box.lower = {Real(-3000), Real(10), Real(-1)};
    box.upper = {Real(5000), Real(4010), Real(1)};
    return make([&](Count) {
      const Real u = uniform(), v = uniform(), w = uniform();
      return std::array{Real(-3000) + 8000 * u * u * u * u, Real(10) + 4000 * v * v * v, 2 * w - 1};
    });
  }
  if (name == "denormals") {
    // The smallest denormals on both sides of zero, in a much larger box.
    box.lower = {Real(-1), Real(-1), Real(-1)};
    return make([&](Count) {
      const auto tiny = [&] {
        return (static_cast<Real>(bits() % 101) - 50) * std::numeric_limits<Real>::denorm_min();
      };
      const Real x = tiny(), y = tiny();
      return std::array{x, y, tiny()};
    });
  }
  if (name == "signed_zeros") {
    box.lower = {Real(-1), Real(0), Real(-1)};
    return make([&](Count) {
      const auto zero = [&] { return bits() % 2 ? Real(0) : -Real(0); };
      const Real x = zero(), y = zero();
      return std::array{x, y, bits() % 4 ? zero() : uniform()};
    });
  }
  if (name == "neighbours")
    // Two adjacent floating-point numbers: no number lies between them.
    return make([&](Count) {
      const Real low = Real(0.5);
      const Real high = std::nextafter(low, Real(1));
      return std::array{bits() % 2 ? low : high, low, high};
    });
  return make([&](Count) {
    const Real x = uniform(), y = uniform();
    return std::array{x, y, uniform()};
  });
}

/// The example of [Rehmann 2022] section 3.4: 7 particles in the plane unit square, for d = 3.
inline HostParticles seven_particles() {
  constexpr double table[7][2] = {{0.4, 0.3}, {0.2, 0.6}, {0.8, 0.9}, {0.6, 0.5},
                                  {0.3, 0.8}, {0.7, 0.1}, {0.9, 0.3}};
  Box<3> square = unit_box<3>();
  square.upper[2] = Real{0};
  return particles_from(7, square, [&](Count i) {
    return std::array{static_cast<Real>(table[i][0]), static_cast<Real>(table[i][1]), Real{0}};
  });
}

}  // namespace copse::test
