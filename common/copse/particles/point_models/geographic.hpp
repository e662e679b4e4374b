#pragma once
/// \file
/// Places in towns along coasts and roads: a 2-D stand-in for Geocity, the list of city locations
/// of [Liu 2019] section 3.4.
///
/// Properties of such lists that affect a traversal: points lie on thin curves and in small spots,
/// so most of the plane is empty; a few towns hold a large part of the points; and coordinates are
/// rounded, so many points coincide and whole leaves may have zero extent.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

struct Town {
  double longitude;  ///< degrees
  double latitude;
  double radius;
};

/// The land spans 64 by 32 degrees. Each of 24 lines (winding coasts and almost straight roads) is
/// a walk of 64 steps of a third of a degree. One in 8 of the 4096 towns is uniform; the others lie
/// at a random point of a random line, displaced by a normal distance of 0.05 degrees. The share of
/// town t is proportional to 1 / (t + 1) (Zipf) and its radius to the square root of that, so all
/// towns have about the same density. Within a town a place has a random direction and a distance
/// that is a normal times a uniform number, which is dense in the middle. Coordinates are rounded
/// to 2^-8 degrees, about 400 m; all of them are exact in float.
template <class MemorySpace>
struct Geographic {
  static constexpr double width = 64.0;
  static constexpr double height = 32.0;
  static constexpr double places_per_degree = 256.0;
  static constexpr int lines = 24;
  static constexpr int coasts = 12;
  static constexpr int steps = 64;
  static constexpr int towns_in_all = 4096;
  static constexpr double largest_radius = 0.2;

  std::uint64_t seed;
  Kokkos::View<const double*, MemorySpace> ends;
  Kokkos::View<const Town*, MemorySpace> towns;

  explicit Geographic(std::uint64_t seed_)
      : seed(seed_),
        ends(table_in<MemorySpace>(upper_ends(populations()))),
        towns(table_in<MemorySpace>(draw_towns(seed_))) {}

  static std::vector<double> populations() {
    std::vector<double> all;
    for (int t = 0; t < towns_in_all; ++t) all.push_back(1.0 / (t + 1));
    return all;
  }

  struct Vertex {
    double x;
    double y;
  };

  /// The vertices of all lines, line after line.
  static std::vector<Vertex> draw_lines(std::uint64_t seed) {
    constexpr double step = 1.0 / 3.0;
    std::vector<Vertex> vertices;
    for (int line = 0; line < lines; ++line) {
      const double winding = line < coasts ? 0.08 : 0.01;  // turns per step
      RandomStream random = stream_of_entry(seed, static_cast<std::uint64_t>(line));
      const auto start = random.next_pair();
      Vertex at{width * start[0], height * start[1]};
      double heading = random.next_pair()[0];
      for (int s = 0; s <= steps; ++s) {
        vertices.push_back({mirrored(at.x, width), mirrored(at.y, height)});
        heading += winding * draw_normals<1>(random)[0];
        heading -= Kokkos::floor(heading);
        const portable::SineCosine direction =
            portable::sincos_of_turn(heading < 1.0 ? heading : 0);
        at.x += step * direction.cosine;
        at.y += step * direction.sine;
      }
    }
    return vertices;
  }

  static std::vector<Town> draw_towns(std::uint64_t seed) {
    constexpr double distance = 0.05;
    const std::vector<Vertex> vertices = draw_lines(seed);
    std::vector<Town> all;
    for (int t = 0; t < towns_in_all; ++t) {
      RandomStream random = stream_of_entry(seed, static_cast<std::uint64_t>(lines + t));
      const auto which = random.next_pair();
      const auto where = random.next_pair();
      Town town{width * where[0], height * where[1], 0.0};
      if (which[0] >= 0.125) {
        const auto line = static_cast<std::size_t>(which[1] * lines);
        const double along = where[0] * steps;
        const double whole = Kokkos::floor(along);
        const Vertex& a = vertices[line * (steps + 1) + static_cast<std::size_t>(whole)];
        const Vertex& b = vertices[line * (steps + 1) + static_cast<std::size_t>(whole) + 1];
        const auto offset = draw_normals<2>(random);
        town.longitude = a.x + (along - whole) * (b.x - a.x) + distance * offset[0];
        town.latitude = a.y + (along - whole) * (b.y - a.y) + distance * offset[1];
      }
      town.radius = largest_radius / Kokkos::sqrt(static_cast<double>(t + 1));
      all.push_back(town);
    }
    return all;
  }

  KOKKOS_FUNCTION static double rounded(double degrees, double length) {
    return Kokkos::floor(mirrored(degrees, length) * places_per_degree) / places_per_degree;
  }

  KOKKOS_FUNCTION Coordinates<2> operator()(GlobalId i) const {
    RandomStream random = stream_of_point(seed, i);
    const auto u = random.next_pair();
    const Town& town = towns(part_of<MemorySpace>(ends, u[0]));
    const auto offset = draw_normals<2>(random);
    const double scale = town.radius * u[1];
    return {rounded(town.longitude + scale * offset[0], width),
            rounded(town.latitude + scale * offset[1], height)};
  }
};

}  // namespace copse::point_models
