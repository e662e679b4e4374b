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

Particles<Kokkos::HostSpace> select_rows(
    const Particles<Kokkos::HostSpace>& particles,
    const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>& rows) {
  auto selected = allocate_particles<Kokkos::HostSpace>(rows.extent(0), columns_of(particles));
  selected.box = particles.box;
  const auto pick = [&](const auto& from, const auto& to) {
    for (Count i = 0; i < to.extent(0); ++i) to(i) = from(rows(i));
  };
  const auto pick_points = [&](const auto& from, const auto& to) {
    for (Count i = 0; i < to.extent(0); ++i)
      for (int a = 0; a < 3; ++a) to(i, a) = from(rows(i), a);
  };
  pick_points(particles.position, selected.position);
  pick_points(particles.velocity, selected.velocity);
  pick(particles.mass, selected.mass);
  pick(particles.id, selected.id);
  pick(particles.weight, selected.weight);
  pick(particles.species, selected.species);
  return selected;
}

}  // namespace copse::fof
