#pragma once
/// \file
/// One Gaussian blob in the middle of the unit box, at rest.

#include <copse/particles/models/model.hpp>

namespace copse::models {

/// Coordinates are normal with mean 1/2 and standard deviation sigma. A particle with a coordinate
/// outside the box is redrawn completely, so the distribution is the normal one truncated to the
/// box, without accumulation on the faces. The box is not periodic.
struct Normal {
  std::uint64_t seed;
  double sigma;

  explicit Normal(const GeneratorOptions& options)
      : seed(options.seed), sigma(options.model.normal_sigma) {}

  static Box<3> box(const GeneratorOptions&) { return unit_box<3>(); }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool /*with_velocity*/) const {
    RandomStream random(seed, RandomPurpose::position, i);
    for (;;) {
      const Vector3 g = draw_normal(random);
      PhaseSpacePoint p;
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        const double x = 0.5 + sigma * g[a];
        p.position[a] = x;
        inside = inside && x >= 0.0 && x < 1.0;
      }
      if (inside) return p;
    }
  }
};

}  // namespace copse::models
