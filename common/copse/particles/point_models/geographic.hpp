#pragma once
/// \file
/// Places in towns along coasts and roads: a 2-D stand-in for Geocity, the list of city locations
/// of seed 004, section 3.4.
///
/// What a traversal notices of such lists and finds here: points lie on thin curves and in small
/// spots, so most of the plane is empty; a few towns hold a large part of them; and coordinates are
/// rounded, so that many points coincide and whole leaves can have no extent.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

struct Town {
  double longitude;  ///< degrees
  double latitude;
  double radius;
};

/// A land of 64 by 32 degrees. Each of 24 lines, coasts that wind and roads that hardly do, is a
/// walk of 64 steps of a third of a degree. Of 4096 towns one in 8 lies anywhere, the others at a
/// random place of a random line with a normal distance of 0.05 degrees. Town t holds a share in
/// proportion to 1 / (t + 1) (Zipf) and has a radius in proportion to the square root of that, so
/// that towns are alike in density. Within a town places lie in a random direction at a normal
/// distance times a uniform number, dense in the middle. Coordinates are rounded to 2^-8 degrees,
/// about 400 m; all of them are exact in float.
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

  /// The vertices of one line after the other.
  static std::vector<Vertex> draw_lines(std::uint64_t seed) {
    constexpr double step = 1.0 / 3.0;
    std::vector<Vertex> vertices;
    for (int line = 0; line < lines; ++line) {
      const double winding = line < coasts ? 0.08 : 0.01;  // turns a step
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
