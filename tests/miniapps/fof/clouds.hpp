#pragma once
/// \file
/// Groups of particles with known coordinates before they are wrapped into a periodic box.
///
/// Coordinates are multiples of 2^-20 and at most a few units large, so floats hold them exactly,
/// wherever in the box [0, 1)^3 they are wrapped to.

#include "../../common/algorithms/on_each_backend.hpp"
#include <copse/particles/particles.hpp>

#include <array>
#include <cmath>
#include <fof/catalogue/catalogue.hpp>
#include <fof/catalogue/groups.hpp>
#include <random>
#include <vector>

namespace copse::fof::test {

using Vector = std::array<double, 3>;

inline double on_grid(double x) {
  return std::round(std::ldexp(x, 20)) / 1048576.0;
}

/// The members of one group, in input order.
struct Cloud {
  std::vector<Vector> position;  ///< unwrapped
  std::vector<Vector> velocity;
  std::vector<float> mass;

  void add(const Vector& x, const Vector& v = {}, float m = 1.0f) {
    position.push_back({on_grid(x[0]), on_grid(x[1]), on_grid(x[2])});
    velocity.push_back(v);
    mass.push_back(m);
  }
  std::size_t size() const { return position.size(); }
};

inline double uniform(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

/// n points in a ball, with a density that increases towards the centre with `power` (1/3:
/// uniform), and masses over four decades if `unequal`.
inline void add_ball(Cloud& cloud, std::mt19937& random, std::size_t n, const Vector& centre,
                     double radius, double power, bool unequal = false) {
  for (std::size_t i = 0; i < n; ++i) {
    const double z = 2.0 * uniform(random) - 1.0, phi = 6.283185307179586 * uniform(random);
    const double r = radius * std::pow(uniform(random), power), s = std::sqrt(1.0 - z * z);
    const float m =
        unequal ? static_cast<float>(std::pow(10.0, 4.0 * uniform(random) - 2.0)) : 1.0f;
    const Vector v{std::ldexp(static_cast<double>(random() % 4096), -8),
                   uniform(random) > 0.5 ? 1.0 : -2.0, static_cast<double>(i % 7)};
    cloud.add(
        {centre[0] + r * s * std::cos(phi), centre[1] + r * s * std::sin(phi), centre[2] + r * z},
        v, m);
  }
}

/// A table with the particles of all clouds, interleaved so that groups are mixed.
struct Scene {
  Particles<Kokkos::HostSpace> particles;
  std::vector<LocalIndex> labels;
  std::vector<std::vector<LocalIndex>> rows;  ///< particle indices of each cloud's members
};

inline Scene make_scene(const std::vector<Cloud>& clouds, const Vector& shift = {},
                        bool periodic = true,
                        ColumnSet columns = {.velocity = true, .mass = true}) {
  Count n = 0;
  for (const Cloud& cloud : clouds) n += cloud.size();
  Scene scene;
  scene.particles = allocate_particles<Kokkos::HostSpace>(n, columns);
  scene.particles.box = unit_box<3>(periodic);
  scene.labels.resize(n);
  scene.rows.resize(clouds.size());
  LocalIndex row = 0;
  for (std::size_t i = 0; row < n; ++i)
    for (std::size_t c = 0; c < clouds.size(); ++c) {
      if (i >= clouds[c].size()) continue;
      scene.rows[c].push_back(row);
      scene.labels[row] = scene.rows[c][0];
      for (int a = 0; a < 3; ++a) {
        const auto axis = static_cast<std::size_t>(a);
        double x = clouds[c].position[i][axis] + shift[axis];
        if (periodic) x -= std::floor(x);
        scene.particles.position(row, a) = static_cast<Real>(x);
        if (columns.velocity)
          scene.particles.velocity(row, a) = static_cast<Real>(clouds[c].velocity[i][axis]);
      }
      if (columns.mass) scene.particles.mass(row) = static_cast<Real>(clouds[c].mass[i]);
      ++row;
    }
  return scene;
}

template <class Space>
Catalogue catalogue_on(const Space& space, const Scene& scene, Count min_members = 1,
                       Count direct_members = default_direct_members) {
  const auto particles = copy_particles<typename Space::memory_space>(scene.particles);
  const auto groups =
      collect_groups(space, copse::test::to_backend<Space>(scene.labels), min_members);
  return make_catalogue(space, particles, groups, direct_members);
}

}  // namespace copse::fof::test
