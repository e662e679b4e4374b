#pragma once
/// \file
/// The interface of a particle model, and the kernel that writes its rows to a particle table.
///
/// A model is a small struct, copied to the device, with
///  - `PhaseSpacePoint operator()(GlobalId i, bool with_velocity) const`: the position of particle
///    i and, if requested, its velocity. It may use only correctly rounded operations (see
///    `generators.hpp`), and requesting velocities must not change positions.

#include <copse/backend/backends.hpp>
#include <copse/particles/generators.hpp>
#include <copse/particles/random_variates.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>

namespace copse::models {

struct PhaseSpacePoint {
  Vector3 position{};
  Vector3 velocity{};
};

/// Writes one row per call. Work model: sizeof(Real) * 3 bytes written per particle for positions
/// plus the size of each further column; only the model's own tables are read.
template <class MemorySpace, class Model>
struct WriteRows {
  Model model;
  Particles<MemorySpace> rows;
  Kokkos::Array<Real, 3> largest;  ///< largest Real below the upper face, per axis
  Real particle_mass;
  std::uint64_t seed;
  Count first;

  KOKKOS_FUNCTION void operator()(const Count row) const {
    const GlobalId i = first + row;
    const bool with_velocity = rows.velocity.extent(0) > 0;
    const PhaseSpacePoint p = model(i, with_velocity);
    for (int a = 0; a < 3; ++a) {
      const Real x = static_cast<Real>(p.position[a]);
      rows.position(row, a) = x < rows.box.lower[a] ? rows.box.lower[a]
                              : x > largest[a]      ? largest[a]
                                                    : x;
    }
    if (with_velocity)
      for (int a = 0; a < 3; ++a) rows.velocity(row, a) = static_cast<Real>(p.velocity[a]);
    if (rows.mass.extent(0) > 0) rows.mass(row) = particle_mass;
    if (rows.id.extent(0) > 0) rows.id(row) = i;
    if (rows.weight.extent(0) > 0) rows.weight(row) = pareto_weight(i);
    if (rows.species.extent(0) > 0) rows.species(row) = Species::dark;
  }

  /// Inverse of P(w > x) = x^-2, cut at 2^16.
  KOKKOS_FUNCTION Real pareto_weight(GlobalId i) const {
    const double u = RandomStream(seed, RandomPurpose::weight, i).next_pair()[0];
    const double w = 1.0 / Kokkos::sqrt(u);
    return static_cast<Real>(w < 65536.0 ? w : 65536.0);
  }
};

template <class ExecutionSpace, class Model>
Particles<typename ExecutionSpace::memory_space> write_rows(const ExecutionSpace& space,
                                                            const Model& model, const Box<3>& box,
                                                            const GeneratorOptions& options,
                                                            Count first, Count count) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  auto rows = allocate_particles<MemorySpace>(count, options.columns);
  rows.box = box;
  Kokkos::Array<Real, 3> largest{};
  for (int a = 0; a < 3; ++a) largest[a] = std::nextafter(box.upper[a], box.lower[a]);
  const Real mass = static_cast<Real>(1.0 / static_cast<double>(options.particles));
  Kokkos::parallel_for(
      "copse::particles::generate", CountRange<ExecutionSpace>(space, 0, count),
      WriteRows<MemorySpace, Model>{model, rows, largest, mass, options.seed, first});
  space.fence("copse::particles::generate");
  return rows;
}

}  // namespace copse::models
