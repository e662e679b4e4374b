#include "species_sums.hpp"

#include <copse/backend/backends.hpp>

namespace copse::fof {
namespace {

struct SpeciesSums {
  Count members[4] = {0, 0, 0, 0};
  double mass[4] = {0.0, 0.0, 0.0, 0.0};

  KOKKOS_FUNCTION void join(const SpeciesSums& other) {
    for (int s = 0; s < 4; ++s) {
      members[s] += other.members[s];
      mass[s] += other.mass[s];
    }
  }
};

template <class MemorySpace>
struct SpeciesShare {
  MemberTable<MemorySpace> table;
  Kokkos::View<Species*, Kokkos::LayoutLeft, MemorySpace> species;
  KOKKOS_FUNCTION SpeciesSums operator()(Count, Count j) const {
    SpeciesSums share;
    const auto s = static_cast<int>(species(table.rows(j)));
    share.members[s] = 1;
    share.mass[s] = table.mass(j);
    return share;
  }
};

template <class MemorySpace>
struct StoreSpecies {
  Kokkos::View<SpeciesSums*, Kokkos::LayoutLeft, MemorySpace> sums;  ///< or empty
  PropertyTable<MemorySpace> properties;
  KOKKOS_FUNCTION void operator()(Count g) const {
    SpeciesSums sum;
    if (sums.extent(0) > 0) sum = sums(g);
    for (int s = 0; s < 4; ++s) {
      properties(g).members_by_species[s] = sum.members[s];
      properties(g).mass_by_species[s] = sum.mass[s];
    }
  }
};

}  // namespace

template <class ExecutionSpace>
void find_species_sums(const ExecutionSpace& space,
                       const MemberTable<typename ExecutionSpace::memory_space>& table,
                       const ReductionTree<typename ExecutionSpace::memory_space>& tree,
                       const Kokkos::View<Species*, Kokkos::LayoutLeft,
                                          typename ExecutionSpace::memory_space>& species,
                       Workspace<typename ExecutionSpace::memory_space>& workspace,
                       const PropertyTable<typename ExecutionSpace::memory_space>& properties) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  StoreSpecies<MemorySpace> store{{}, properties};
  if (species.extent(0) > 0)
    store.sums = reduce_segments(
        "copse::fof::catalogue::species_sums", space, tree,
        SpeciesShare<MemorySpace>{table, species},
        workspace.template get<SpeciesSums>("catalogue::species_sums", tree.nodes()));
  Kokkos::parallel_for(
      "copse::fof::catalogue::species",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, tree.segments),
      store);
}

#define COPSE_SPECIES_SUMS(Space)                                             \
  template void find_species_sums(                                            \
      const Space&, const MemberTable<Space::memory_space>&,                  \
      const ReductionTree<Space::memory_space>&,                              \
      const Kokkos::View<Species*, Kokkos::LayoutLeft, Space::memory_space>&, \
      Workspace<Space::memory_space>&, const PropertyTable<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_SPECIES_SUMS)

}  // namespace copse::fof
