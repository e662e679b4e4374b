#pragma once
/// \file
/// The particle table of the suite: one row per particle, one contiguous column per quantity.
///
/// Invariants
///  - `position` always exists; every other column either has the same number of rows or is empty
///    (extent 0), which means the quantity is unknown.
///  - All columns are in the same order: row i of each describes particle i. Whatever reorders
///    particles moves every column by one permutation.
///  - Positions are finite and lie inside `box` (readers and generators check).
///  - Units are the code units of the input; readers document theirs.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace copse {

/// The species of a particle, as far as the supported file formats distinguish them.
enum class Species : std::uint8_t { gas = 0, dark = 1, star = 2, other = 3 };

template <class MemorySpace>
struct Particles {
  static constexpr int dimension = 3;
  using memory_space = MemorySpace;

  template <class T>
  using Column = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Points<3, MemorySpace> position;  ///< [n][3], length
  Points<3, MemorySpace> velocity;  ///< [n][3] or empty, length / time
  Column<Real> mass;                ///< [n] or empty
  Column<GlobalId> id;              ///< [n] or empty, unique over all ranks
  Column<Real> weight;              ///< [n] or empty, work per particle for load balancing
  Column<Species> species;          ///< [n] or empty
  Column<Real> softening;           ///< [n] or empty, gravitational softening length
  Box<3> box = unit_box<3>();       ///< domain that holds every position

  Count size() const { return position.extent(0); }
};

/// The optional columns that a table has or should get.
struct ColumnSet {
  bool velocity = false;
  bool mass = false;
  bool id = false;
  bool weight = false;
  bool species = false;
  bool softening = false;
};

template <class MemorySpace>
ColumnSet columns_of(const Particles<MemorySpace>& p) {
  return {p.velocity.extent(0) > 0, p.mass.extent(0) > 0,    p.id.extent(0) > 0,
          p.weight.extent(0) > 0,   p.species.extent(0) > 0, p.softening.extent(0) > 0};
}

/// A table of n rows with the given columns; contents are uninitialised.
template <class MemorySpace>
Particles<MemorySpace> allocate_particles(Count n, ColumnSet columns = {}) {
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  Particles<MemorySpace> p;
  const auto alloc = [](const char* column) {
    return view_alloc(std::string("copse::particles::") + column, WithoutInitializing);
  };
  p.position = Points<3, MemorySpace>(alloc("position"), n);
  if (columns.velocity) p.velocity = Points<3, MemorySpace>(alloc("velocity"), n);
  if (columns.mass) p.mass = decltype(p.mass)(alloc("mass"), n);
  if (columns.id) p.id = decltype(p.id)(alloc("id"), n);
  if (columns.weight) p.weight = decltype(p.weight)(alloc("weight"), n);
  if (columns.species) p.species = decltype(p.species)(alloc("species"), n);
  if (columns.softening) p.softening = decltype(p.softening)(alloc("softening"), n);
  return p;
}

/// A copy of the table in another memory space (always a deep copy).
template <class To, class From>
Particles<To> copy_particles(const Particles<From>& from) {
  Particles<To> to = allocate_particles<To>(from.size(), columns_of(from));
  Kokkos::deep_copy(to.position, from.position);
  Kokkos::deep_copy(to.velocity, from.velocity);
  Kokkos::deep_copy(to.mass, from.mass);
  Kokkos::deep_copy(to.id, from.id);
  Kokkos::deep_copy(to.weight, from.weight);
  Kokkos::deep_copy(to.species, from.species);
  Kokkos::deep_copy(to.softening, from.softening);
  to.box = from.box;
  return to;
}

}  // namespace copse
