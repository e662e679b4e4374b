#pragma once
/// \file
/// From the labels of particles to groups: which groups there are, and their members.
///
/// Invariants
///  - Groups are numbered by decreasing size, and among equal sizes by smallest row. Only groups of
///    at least `min_members` have a number.
///  - The members of group g are `members(j)` for j in [offsets(g), offsets(g + 1)), in the order
///    of the input: the first is the group's label.
///  - All of it is integers and the same on every backend.
///
/// Rows are sorted by label rather than counted with atomics: a group that holds half of all
/// particles would make the atomics wait for each other, and the sort is needed for the lists.

#include "../linker.hpp"
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::fof {

template <class MemorySpace>
struct Groups {
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> offsets;       ///< [groups + 1]
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> members;  ///< rows, group by group
  Count particles = 0;                                                 ///< with and without a group
  Count min_members = 0;  ///< the smallest group that is one
  Count components = 0;   ///< sets of friends of any size, single particles included
  Count largest = 0;      ///< particles in the largest of these

  Count size() const { return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1; }
  Count particles_in_groups() const { return members.extent(0); }
};

/// The groups that the labels make. The time of a radix sort of n keys; 16 bytes a particle and 8 a
/// component of memory beside the result (on GPUs more, for the sort). Synchronises.
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

/// The number of each particle's group, counted from 1; 0: in none. O(n).
std::vector<Count> group_numbers(const Groups<Kokkos::HostSpace>& groups);

}  // namespace copse::fof
