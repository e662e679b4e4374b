#pragma once
/// \file
/// Builds the list of groups and their members from particle labels.
///
/// Invariants
///  - Groups are numbered by decreasing size; among equal sizes by smallest particle index. Only
///    groups of at least `min_members` particles have a number.
///  - The members of group g are `members(j)` for j in [offsets(g), offsets(g + 1)), in input
///    order: the first one is the group's label.
///  - All data are integers and identical on every backend.
///
/// Particles are sorted by label instead of counted with atomics: a group that holds half of all
/// particles would serialise the atomics, and the member lists need the sort anyway.

#include "../linker.hpp"
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

template <class MemorySpace>
struct Groups {
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets;  ///< [groups + 1]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>
      members;            ///< particle indices, group by group
  Count particles = 0;    ///< all particles, in a group or not
  Count min_members = 0;  ///< minimum size of a group
  Count components = 0;   ///< components of any size, single particles included
  Count largest = 0;      ///< particles in the largest component

  Count size() const { return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1; }
  Count particles_in_groups() const { return members.extent(0); }
};

/// Collects the groups of the labels. Takes the time of a radix sort of n keys, and 16 bytes per
/// particle and 8 per component of memory in addition to the result (on GPUs more, for the sort).
/// Synchronises.
/// \throws InputError if `min_members` is 0
template <class ExecutionSpace>
Groups<typename ExecutionSpace::memory_space> collect_groups(
    const ExecutionSpace& space, const Labels<typename ExecutionSpace::memory_space>& labels,
    Count min_members);

/// The same groups in host memory.
template <class MemorySpace>
Groups<Kokkos::HostSpace> groups_on_host(const Groups<MemorySpace>& groups) {
  Groups<Kokkos::HostSpace> host;
  host.offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), groups.offsets);
  host.members = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), groups.members);
  host.particles = groups.particles;
  host.min_members = groups.min_members;
  host.components = groups.components;
  host.largest = groups.largest;
  return host;
}

}  // namespace copse::fof
