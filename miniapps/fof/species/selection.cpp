#include "selection.hpp"

#include <algorithm>

namespace copse::fof {

std::vector<std::string> species_choices() {
  return {"all", "dark", "gas", "star"};
}

std::optional<Species> species_named(const std::string& name) {
  const auto found = std::find(species_names.begin(), species_names.end(), name);
  if (found == species_names.end()) return std::nullopt;
  return static_cast<Species>(found - species_names.begin());
}

std::array<Count, 4> count_species(const Particles<Kokkos::HostSpace>& particles) {
  std::array<Count, 4> counts{};
  for (Count i = 0; i < particles.species.extent(0); ++i)
    ++counts[static_cast<std::size_t>(particles.species(i))];
  return counts;
}

Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> rows_of_species(
    const Particles<Kokkos::HostSpace>& particles, Species species, bool of) {
  std::vector<LocalIndex> rows;
  for (Count i = 0; i < particles.species.extent(0); ++i)
    if ((particles.species(i) == species) == of) rows.push_back(static_cast<LocalIndex>(i));
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> list(
      Kokkos::view_alloc("copse::fof::rows_of_species", Kokkos::WithoutInitializing), rows.size());
  std::copy(rows.begin(), rows.end(), list.data());
  return list;
}

Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> labels_of_rows(
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& labels,
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& rows) {
  constexpr LocalIndex none = ~LocalIndex{0};
  std::vector<LocalIndex> first(labels.extent(0), none);
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace> found(
      Kokkos::view_alloc("copse::fof::labels_of_rows", Kokkos::WithoutInitializing),
      rows.extent(0));
  for (Count k = 0; k < rows.extent(0); ++k) {
    LocalIndex& here = first[labels(rows(k))];
    if (here == none) here = static_cast<LocalIndex>(k);
    found(k) = here;
  }
  return found;
}

}  // namespace copse::fof
