#pragma once
/// \file
/// Fragments: the parts of groups on one rank, identified by name, on the device.
///
/// Local labels are the smallest indices among the particles of a domain followed by its ghosts.
/// Ids ascend with the index within a domain. The label of a group with a particle of the domain is
/// therefore the index of its smallest id, which is the name of the fragment. A group of ghosts
/// alone is not a fragment of this rank; its links are found on the ranks that own its particles.

#include "../linker.hpp"
#include "merge_fragments.hpp"
#include <copse/algorithms/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>
#include <vector>

namespace copse::fof {

/// In place of a name: the group consists of ghosts only.
inline constexpr GlobalId no_fragment = std::numeric_limits<GlobalId>::max();

/// The fragments of one domain. Returned arrays belong to the workspace.
template <class ExecutionSpace>
class Fragments {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  /// For the domain's particles with these ids; `local` holds labels of particles and ghosts.
  Fragments(const ExecutionSpace& space, Workspace<MemorySpace>& workspace,
            const GlobalLabels<MemorySpace>& id, const Labels<MemorySpace>& local,
            bool count_members);

  /// Names of the fragments of some particles of the domain. No synchronisation.
  GlobalLabels<MemorySpace> names(const Kokkos::View<const LocalIndex*, MemorySpace>& rows) const;
  /// Name of the fragment of each ghost, or no_fragment.
  GlobalLabels<MemorySpace> names_of_ghosts(Count ghosts) const;
  /// Number of the domain's particles in the named fragments; 0 if not counted.
  std::vector<Count> members_of(const std::vector<GlobalId>& names) const;

  /// Stores the final labels of merged fragments; all others are whole groups. No synchronisation.
  void enter(const std::vector<FragmentLabel>& merged) const;
  /// Group label of each particle of the domain, according to the entered fragments. Per particle:
  /// 4 bytes read, 8 read at the first particle of its fragment, 8 written.
  GlobalLabels<MemorySpace> labels() const;
  /// Group size of each particle of the domain; empty if not counted.
  GroupSizes<MemorySpace> members() const;

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace>& workspace_;
  GlobalLabels<MemorySpace> id_;
  Labels<MemorySpace> local_;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>
      is_merged_;                              ///< one bit per particle
  GlobalLabels<MemorySpace> label_of_merged_;  ///< valid where that bit is set
  GroupSizes<MemorySpace> members_of_row_;     ///< at local labels; empty if not counted
};

/// A host copy of labels or counts.
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
