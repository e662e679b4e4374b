#include "distinct_links.hpp"

#include "fragments.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <bit>
#include <limits>
#include <utility>

namespace copse::fof {
namespace {

/// A link, and one ghost that shows it.
struct SeenLink {
  GlobalId mine;
  GlobalId other;
  Count ghost;
};

template <class MemorySpace>
struct KeepOneGhost {
  static constexpr LocalIndex nobody = std::numeric_limits<LocalIndex>::max();

  GlobalLabels<MemorySpace> mine;
  GlobalLabels<MemorySpace> theirs;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> table;  ///< [2^k] ghosts, or nobody
  Kokkos::View<SeenLink*, Kokkos::LayoutLeft, MemorySpace> links;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> found;  ///< [1]

  KOKKOS_FUNCTION void operator()(const Count ghost) const {
    const GlobalId here = mine(ghost);
    const GlobalId there = theirs(ghost);
    if (here == no_fragment) return;
    const std::uint64_t mixed = (here * 0x9E3779B97F4A7C15u ^ there) * 0xBF58476D1CE4E5B9u;
    const Count last = table.extent(0) - 1;
    for (Count slot = (mixed >> 32) & last;; slot = (slot + 1) & last) {
      // Most ghosts find their link in the table; only an empty slot needs an atomic.
      LocalIndex holder = relaxed_load(&table(slot));
      if (holder == nobody)
        holder =
            Kokkos::atomic_compare_exchange(&table(slot), nobody, static_cast<LocalIndex>(ghost));
      if (holder == nobody) {
        links(Kokkos::atomic_fetch_add(&found(0), Count{1})) = SeenLink{here, there, ghost};
        return;
      }
      if (mine(holder) == here && theirs(holder) == there) return;
    }
  }
};

int rank_of(Count ghost, const ExchangePlan::Side& from) {
  std::size_t rank = 0;
  while (ghost >= from.offsets[rank] + from.counts[rank]) ++rank;
  return static_cast<int>(rank);
}

}  // namespace

template <class ExecutionSpace>
std::vector<FragmentLink> distinct_links(
    const ExecutionSpace& space, const GlobalLabels<typename ExecutionSpace::memory_space>& mine,
    const GlobalLabels<typename ExecutionSpace::memory_space>& theirs,
    const ExchangePlan::Side& from, Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count ghosts = mine.extent(0);
  if (ghosts == 0) return {};
  const KeepOneGhost<MemorySpace> keep{
      mine, theirs,
      workspace.template get<LocalIndex>("fof::link_table", std::bit_ceil(2 * ghosts)),
      workspace.template get<SeenLink>("fof::seen_links", ghosts),
      workspace.template get<Count>("fof::links_found", 1)};
  Kokkos::deep_copy(space, keep.table, KeepOneGhost<MemorySpace>::nobody);
  Kokkos::deep_copy(space, keep.found, Count{0});
  Kokkos::parallel_for("copse::fof::keep_one_ghost", CountRange<ExecutionSpace>(space, 0, ghosts),
                       keep);
  Count found = 0;
  Kokkos::deep_copy(space, found, Kokkos::subview(keep.found, 0));
  space.fence("copse::fof::keep_one_ghost");
  std::vector<SeenLink> seen(found);
  Kokkos::deep_copy(
      Kokkos::View<SeenLink*, Kokkos::LayoutLeft, Kokkos::HostSpace>(seen.data(), seen.size()),
      Kokkos::subview(keep.links, std::pair(Count{0}, found)));
  std::vector<FragmentLink> links;
  links.reserve(seen.size());
  for (const SeenLink& link : seen)
    links.push_back({link.mine, link.other, rank_of(link.ghost, from)});
  return links;
}

#define COPSE_INSTANTIATE(Space)                                           \
  template std::vector<FragmentLink> distinct_links(                       \
      const Space&, const GlobalLabels<Space::memory_space>&,              \
      const GlobalLabels<Space::memory_space>&, const ExchangePlan::Side&, \
      Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
