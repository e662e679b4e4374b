#pragma once
/// \file
/// A cubic lattice at rest: the data set with the most exact ties between coordinates.

#include <copse/particles/models/model.hpp>

namespace copse::models {

/// The first N sites, x fastest, of the lattice with m = ceil(N^(1/3)) sites per axis; site k of an
/// axis lies at (k + 1/2) / m. Only a cube number N fills the periodic unit box. Every coordinate
/// is shared by m^2 sites, a worst case for ties in tree builders.
struct Lattice {
  Count side;

  explicit Lattice(const GeneratorOptions& options) : side(1) {
    while (side * side * side < options.particles) ++side;
  }

  static Box<3> box(const GeneratorOptions&) { return unit_box<3>(true); }

  KOKKOS_FUNCTION PhaseSpacePoint operator()(GlobalId i, bool /*with_velocity*/) const {
    const Count site[3] = {i % side, i / side % side, i / side / side};
    PhaseSpacePoint p;
    for (int a = 0; a < 3; ++a)
      p.position[a] = (static_cast<double>(site[a]) + 0.5) / static_cast<double>(side);
    return p;
  }
};

}  // namespace copse::models
