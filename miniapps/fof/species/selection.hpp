#pragma once
/// \file
/// Selects the particles to link, by species.

#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace copse::fof {

/// In the order of `Species`.
inline constexpr std::array<const char*, 4> species_names{"gas", "dark", "star", "other"};

/// The values of `--species`.
std::vector<std::string> species_choices();
/// Empty for "all".
std::optional<Species> species_named(const std::string& name);

/// Number of particles of each species, in the order of `Species`; all zero if species are unknown.
std::array<Count, 4> count_species(const Particles<Kokkos::HostSpace>& particles);

/// Ascending indices of the particles of a species (of all other species if `of` is false).
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows_of_species(
    const Particles<Kokkos::HostSpace>& particles, Species species, bool of);

/// Restricts labels to some particles: for each, the smallest position in `rows` of a particle with
/// the same label. O(n) for n labels.
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> labels_of_rows(
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& labels,
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& rows);

}  // namespace copse::fof
