#pragma once
/// \file
/// Hierarchical clustering: spheres within spheres within spheres.
///
/// Source: Soneira, Peebles, "A computer model universe" (AJ 83, 1978).

#include <copse/particles/models/model.hpp>

namespace copse::models {

/// A sphere of radius R_l at level l holds the centres, uniform in it, of eta spheres of radius
/// R_(l+1) = R_l / lambda. The root is centred in the unit box with R_0 = (1 - 1/lambda) / 2, so
/// all its descendants stay within 1/2 of the centre. A particle is uniform in its sphere of the
/// last level. Pair counts within a distance r grow as r^D with D = ln eta / ln lambda (1.26 for 4
/// and 3: a two-point correlation of slope -1.74). At rest; not periodic.
///
/// Random access: digit l of i in base eta, lowest digit first, is the number of the sphere of
/// level l + 1 that contains particle i. Consecutive particles therefore lie in different large
/// spheres, and the spheres of a level differ by at most one particle. The centre of a sphere is
/// drawn from the random stream of its path, not stored.
struct SoneiraPeebles {
  std::uint64_t seed;
  std::uint64_t branching;
  double ratio;
  int levels;

  explicit SoneiraPeebles(const GeneratorOptions& options)
      : seed(options.seed),
        branching(static_cast<std::uint64_t>(options.model.fractal_branching)),
        ratio(options.model.fractal_ratio),
        levels(options.model.fractal_levels) {
    if (levels > 0) return;
    levels = 1;
    for (Count spheres = branching; spheres < options.particles && levels < 10; ++levels)
      spheres *= branching;
  }

  static Box<3> box(const GeneratorOptions&) { return unit_box<3>(); }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool /*with_velocity*/) const {
    double radius = 0.5 * (1.0 - 1.0 / ratio);
    PhaseSpacePoint p{{0.5, 0.5, 0.5}, {}};
    std::uint64_t rest = i;
    std::uint64_t path = 1;  // the leading 1 distinguishes paths of different lengths
    for (int level = 0; level < levels; ++level) {
      path = path * branching + rest % branching;
      rest /= branching;
      RandomStream sphere(seed, RandomPurpose::sub_sphere, path);
      add_scaled(p.position, radius, draw_in_ball(sphere));
      radius /= ratio;
    }
    RandomStream random(seed, RandomPurpose::position, i);
    add_scaled(p.position, radius, draw_in_ball(random));
    return p;
  }
};

}  // namespace copse::models
