#pragma once
/// \file
/// Which of the particles are linked, by species.

#include <copse/particles/particles.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace copse::fof {

/// In the order of `Species`.
inline constexpr std::array<const char*, 4> species_names{"gas", "dark", "star", "other"};

/// What `--species` takes.
std::vector<std::string> species_choices();
/// Nothing for "all".
std::optional<Species> species_named(const std::string& name);

/// Particles of each species, in the order of `Species`; all zero if they are not known.
std::array<Count, 4> count_species(const Particles<Kokkos::HostSpace>& particles);

/// Rows, ascending, that are of a species (or, with `of` false, that are not).
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows_of_species(
    const Particles<Kokkos::HostSpace>& particles, Species species, bool of);

/// Labels of some rows among themselves: for each the first of them, by place in `rows`, that has
/// its label. O(n) for n labels.
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> labels_of_rows(
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& labels,
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& rows);

}  // namespace copse::fof
