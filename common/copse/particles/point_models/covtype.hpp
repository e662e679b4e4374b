#pragma once
/// \file
/// Terrain with integer coordinates: a stand-in for Covtype, the forest cover types of [Liu 2019]
/// section 3.4, whose leading columns are measurements of 30 m squares of land.
///
/// Properties of such tables that affect a traversal: the ranges of the columns differ by a factor
/// of a hundred, so two columns dominate distances and the widest axes of cells; the columns are
/// correlated, so the points fill only part of their bounding box; and all numbers are integers,
/// some of them on a grid, so every column has many ties.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

/// The first Dim of these columns:
///  0 elevation in m, normal about the mean of one of four areas;
///  1 aspect in degrees of azimuth, 0 to 359, uniform;
///  2 slope in degrees, 0 to 66, Rayleigh distributed;
///  3 horizontal distance to water in m, between squares of 30 m, a third of a kilometre;
///  4 vertical distance to water in m, growing with the horizontal one and with the slope;
///  5 horizontal distance to roads in m, kilometres, growing with the elevation;
///  6 shade at nine, 0 to 254, which follows from slope and aspect;
///  7 shade at noon, likewise.
template <int Dim>
struct CovtypeLike {
  static constexpr int columns = 8;
  std::uint64_t seed;

  KOKKOS_FUNCTION Coordinates<Dim> operator()(GlobalId i) const {
    RandomStream random = stream_of_point(seed, i);
    const auto u = random.next_pair();
    const auto v = random.next_pair();
    const auto g = draw_normals<6>(random);
    Coordinates<columns> x{};
    const double mean = u[0] < 0.45 ? 3000.0 : u[0] < 0.5 ? 3350.0 : u[0] < 0.93 ? 2900.0 : 2200.0;
    x[0] = Kokkos::floor(mean + 170.0 * g[0]);
    x[1] = Kokkos::floor(360.0 * u[1]);
    const double slope = 11.0 * Kokkos::sqrt(-2.0 * portable::log(v[0]));
    x[2] = Kokkos::floor(slope < 66.0 ? slope : 66.0);
    x[3] = distance_in_squares(8.0 * g[1], 8.0 * g[2]);
    x[4] = Kokkos::floor(x[3] * (0.08 + 0.008 * x[2]) * (1.0 + 0.5 * g[5]) + 0.5);
    const double far = x[0] > 1760.0 ? (x[0] - 1700.0) / 20.0 : 3.0;
    x[5] = distance_in_squares(far * g[3], far * g[4]);
    x[6] = shade(x[1], x[2], 120.0);
    x[7] = shade(x[1], x[2], 180.0);
    Coordinates<Dim> leading{};
    for (int a = 0; a < Dim; ++a) leading[a] = x[a];
    return leading;
  }

  /// Distance in metres, rounded, between two 30 m squares separated by this many squares.
  KOKKOS_FUNCTION static double distance_in_squares(double east, double north) {
    const double i = Kokkos::floor(east);
    const double j = Kokkos::floor(north);
    return Kokkos::floor(30.0 * Kokkos::sqrt(i * i + j * j) + 0.5);
  }

  /// Light on a slope that faces `aspect` from a sun 45 degrees high in the direction `azimuth`.
  KOKKOS_FUNCTION static double shade(double aspect, double slope, double azimuth) {
    constexpr double half_root = 0.70710678118654752440;
    const double apart = aspect < azimuth ? azimuth - aspect : aspect - azimuth;
    const portable::SineCosine tilt = portable::sincos_of_turn(slope / 360.0);
    const double facing = portable::sincos_of_turn(apart / 360.0).cosine;
    const double light = 254.0 * half_root * (tilt.cosine + tilt.sine * facing);
    return light > 0.0 ? Kokkos::floor(light) : 0.0;
  }
};

}  // namespace copse::point_models
