#pragma once
/// \file
/// Some rows of a table of particles, every column; and the table where a backend can work on it.

#include <copse/algorithms/gather_rows.hpp>
#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse::fof {

/// Row i of the result is row rows(i) of `from`; the box stays. Columns that `from` has not, or
/// cannot show because it has no rows, are not there. No synchronisation.
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
  return to;
}

/// The particles in a memory space: themselves where they are there already.
template <class To, class From>
Particles<To> particles_in(const Particles<From>& particles) {
  if constexpr (std::is_same_v<To, From>) {
    return particles;
  } else {
    return copy_particles<To>(particles);
  }
}

}  // namespace copse::fof
