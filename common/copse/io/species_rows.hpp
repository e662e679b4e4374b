#pragma once
/// \file
/// Row numbers of each species: file formats store each species separately.

#include <copse/particles/particles.hpp>

#include <array>
#include <vector>

namespace copse::io {

/// Row numbers per Species in enum order, ascending. All rows are dark if the table has no species
/// column.
inline std::array<std::vector<LocalIndex>, 4> rows_by_species(
    const Particles<Kokkos::HostSpace>& particles) {
  std::array<std::vector<LocalIndex>, 4> rows;
  const bool known = particles.species.extent(0) > 0;
  for (Count i = 0; i < particles.size(); ++i) {
    const Species species = known ? particles.species(i) : Species::dark;
    rows[static_cast<std::size_t>(species)].push_back(static_cast<LocalIndex>(i));
  }
  return rows;
}

}  // namespace copse::io
