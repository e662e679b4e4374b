#pragma once
/// \file
/// One Gaussian blob in the middle of the unit cube.

#include <copse/particles/point_models/model.hpp>

namespace copse::point_models {

/// Coordinates are normal with mean 1/2 and standard deviation 1/8. A point with a coordinate
/// outside the cube is redrawn completely, so points do not accumulate on the faces.
template <int Dim>
struct Normal {
  static constexpr double sigma = 0.125;
  std::uint64_t seed;

  KOKKOS_FUNCTION Coordinates<Dim> operator()(GlobalId i) const {
    RandomStream random = stream_of_point(seed, i);
    for (;;) {
      Coordinates<Dim> x = draw_normals<Dim>(random);
      bool inside = true;
      for (int a = 0; a < Dim; ++a) {
        x[a] = 0.5 + sigma * x[a];
        inside = inside && x[a] >= 0.0 && x[a] < 1.0;
      }
      if (inside) return x;
    }
  }
};

}  // namespace copse::point_models
