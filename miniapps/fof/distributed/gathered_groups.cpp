#include "gathered_groups.hpp"

#include <copse/backend/error.hpp>

#include <fmt/format.h>

namespace copse::fof {

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
  const auto global = comm.gatherv(labels, 0);
  all.labels = Labels<Kokkos::HostSpace>(
      Kokkos::view_alloc("copse::fof::gathered_labels", Kokkos::WithoutInitializing),
      global.extent(0));
  for (Count i = 0; i < global.extent(0); ++i) {
    const GlobalId label = global(i);
    // No row is so large: what is no label must not look like one when it is shortened.
    all.labels(i) = label < largest_gathered ? static_cast<LocalIndex>(label) : ~LocalIndex{0};
  }
  return all;
}

}  // namespace copse::fof
