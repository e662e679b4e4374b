#pragma once
/// \file
/// Selects particles from a table, with all columns, and copies tables between memory spaces.

#include <copse/algorithms/permutation.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::fof {

/// Particle i of the result is particle rows(i) of `from`; the box is copied. Columns that `from`
/// lacks, or that are empty because `from` has no particles, are absent. No synchronisation.
template <class ExecutionSpace, class MemorySpace, class Rows>
Particles<MemorySpace> pick_rows(const ExecutionSpace& space, const Particles<MemorySpace>& from,
                                 const Rows& rows) {
  auto to = allocate_particles<MemorySpace>(rows.extent(0), columns_of(from));
  to.box = from.box;
  const auto pick = [&](const auto& source, const auto& target) {
    if (target.extent(0) > 0) gather_rows("copse::fof::pick_rows", space, source, target, rows);
  };
  pick(from.position, to.position);
  pick(from.velocity, to.velocity);
  pick(from.mass, to.mass);
  pick(from.id, to.id);
  pick(from.weight, to.weight);
  pick(from.species, to.species);
  pick(from.softening, to.softening);
  return to;
}

/// The particles in memory space `To`; no copy if they are already there.
template <class To, class From>
Particles<To> particles_in(const Particles<From>& particles) {
  if constexpr (std::is_same_v<To, From>) {
    return particles;
  } else {
    return copy_particles<To>(particles);
  }
}

}  // namespace copse::fof
