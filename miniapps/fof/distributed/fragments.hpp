#pragma once
/// \file
/// The parts of groups that one rank sees, by name, on the device.
///
/// Local labels are smallest rows of a domain's particles and its ghosts, which come after them.
/// Ids ascend with the domain's rows, so the label of a group that has a particle of the domain is
/// the row of the smallest id of those: its fragment's name. A group of ghosts alone is no fragment
/// here; its links are found where its particles are no ghosts.

#include "../linker.hpp"
#include "merge_fragments.hpp"
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>
#include <vector>

namespace copse::fof {

/// Instead of a name: the group has ghosts alone.
inline constexpr GlobalId no_fragment = std::numeric_limits<GlobalId>::max();

/// The fragments of one domain. Arrays that it returns are the workspace's.
template <class ExecutionSpace>
class Fragments {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// Of the domain's particles with these ids; `local` are labels of particles and ghosts.
  Fragments(const ExecutionSpace& space, Workspace<MemorySpace>& workspace,
            const GlobalLabels<MemorySpace>& id, const Labels<MemorySpace>& local,
            bool count_members);

  /// Of some rows of the domain. No synchronisation.
  GlobalLabels<MemorySpace> names(const Kokkos::View<const LocalIndex*, MemorySpace>& rows) const;
  /// Of each ghost, or no_fragment.
  GlobalLabels<MemorySpace> names_of_ghosts(Count ghosts) const;
  /// Particles of the domain in fragments of these names; 0 if they were not counted.
  std::vector<Count> members_of(const std::vector<GlobalId>& names) const;

  /// Notes what became of some fragments; the others are whole groups. No synchronisation.
  void enter(const std::vector<FragmentLabel>& merged) const;
  /// The label of the group of each particle of the domain, as far as they have been entered. 4
  /// bytes read a particle, 8 of the first of its fragment, and 8 written.
  GlobalLabels<MemorySpace> labels() const;
  /// The number of its members; of no rows if they were not counted.
  GroupSizes<MemorySpace> members() const;

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace>& workspace_;
  GlobalLabels<MemorySpace> id_;
  Labels<MemorySpace> local_;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> is_merged_;  ///< a bit for each row
  GlobalLabels<MemorySpace> label_of_merged_;  ///< meaningful at rows with that bit
  GroupSizes<MemorySpace> members_of_row_;     ///< at local labels; of no rows if not counted
};

/// A copy of labels or counts.
template <class MemorySpace>
std::vector<std::uint64_t> numbers_on_host(
    const Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, MemorySpace>& view) {
  std::vector<std::uint64_t> values(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<std::uint64_t*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                        values.data(), values.size()),
                    view);
  return values;
}

}  // namespace copse::fof
