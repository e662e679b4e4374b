#include "gathered_groups.hpp"

#include <copse/backend/error.hpp>

#include <fmt/format.h>

namespace copse::fof {
namespace {

/// Labels of all ranks' particles, on rank 0.
Labels<Kokkos::HostSpace> gather_labels(const Communicator& comm,
                                        const GlobalLabels<Kokkos::HostSpace>& mine) {
  const auto global = comm.gatherv(mine, 0);
  const Labels<Kokkos::HostSpace> labels(
      Kokkos::view_alloc("copse::fof::gathered_labels", Kokkos::WithoutInitializing),
      global.extent(0));
  for (Count i = 0; i < global.extent(0); ++i) {
    const GlobalId label = global(i);
    // No row is so large: what is no label must not look like one when it is shortened.
    labels(i) = label < largest_gathered ? static_cast<LocalIndex>(label) : ~LocalIndex{0};
  }
  return labels;
}

}  // namespace

void require_gatherable(Count particles, const std::string& what) {
  if (particles > largest_gathered)
    throw InputError(
        fmt::format("{} gathers the groups on one rank, which takes {} particles at most, not {}",
                    what, largest_gathered, particles));
}

GatheredGroups gather_groups(const Communicator& comm, const LinkedInput& input,
                             const GlobalLabels<Kokkos::HostSpace>& labels) {
  GatheredGroups all;
  all.input.links = input.links;
  all.input.friendship = input.friendship;
  all.input.wrapped = input.wrapped;
  const auto& mine = input.particles;
  auto& particles = all.input.particles;
  particles.box = mine.box;
  particles.position = comm.gatherv(mine.position, 0);
  particles.velocity = comm.gatherv(mine.velocity, 0);
  particles.mass = comm.gatherv(mine.mass, 0);
  particles.id = comm.gatherv(mine.id, 0);
  all.labels = gather_labels(comm, labels);
  return all;
}

GatheredSpecies gather_species(const Communicator& comm, const LinkedInput& input,
                               const GlobalLabels<Kokkos::HostSpace>& of_linked,
                               const GlobalLabels<Kokkos::HostSpace>& labels) {
  const auto first_row = static_cast<LocalIndex>(comm.exclusive_scan(input.all.size()));
  const auto gather_list = [&](const auto& mine) {
    const auto rows = comm.gatherv(mine, 0);
    const auto rows_before = comm.gather(first_row, 0);
    const auto counts = comm.gather(Count{mine.extent(0)}, 0);
    Count k = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
      for (const Count end = k + counts[rank]; k < end; ++k) rows(k) += rows_before[rank];
    return rows;
  };
  GatheredSpecies species;
  species.input.friendship = input.friendship;
  species.input.partial = true;
  species.input.all.position = comm.gatherv(input.all.position, 0);
  species.input.rows = gather_list(input.rows);
  species.input.others = gather_list(input.others);
  species.of_linked = gather_labels(comm, of_linked);
  species.labels = gather_labels(comm, labels);
  return species;
}

}  // namespace copse::fof
