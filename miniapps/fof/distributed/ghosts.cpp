#include "ghosts.hpp"

#include <copse/algorithms/gather_rows.hpp>
#include <copse/algorithms/scan.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>

#include <limits>

namespace copse::fof {
namespace {

template <class MemorySpace>
struct NeedsGhosts {
  Points<3, MemorySpace> position;
  Kokkos::View<const Neighbour*, Kokkos::LayoutLeft, MemorySpace> neighbours;
  Friendship rule;

  /// Calls f(rank) for each rank that needs a row.
  template <class F>
  KOKKOS_FUNCTION void for_each_rank(Count row, const F& f) const {
    const auto x = lane_point<OneLane, 3>(position, static_cast<LocalIndex>(row));
    for (std::size_t k = 0; k < neighbours.extent(0); ++k) {
      const Neighbour& neighbour = neighbours(k);
      if (rule.least_distance2<OneLane>(neighbour.domain, x) < rule.reach2) f(neighbour.rank);
    }
  }
};

struct CountCalls {
  Count& calls;
  KOKKOS_FUNCTION void operator()(int) const { ++calls; }
};

template <class MemorySpace>
struct CountGhosts {
  NeedsGhosts<MemorySpace> needs;
  Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace> counts;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    Count calls = 0;
    needs.for_each_rank(row, CountCalls{calls});
    counts(row) = static_cast<std::uint32_t>(calls);
  }
};

template <class MemorySpace>
struct WriteGhost {
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;
  Kokkos::View<int*, Kokkos::LayoutLeft, MemorySpace> destinations;
  LocalIndex row;
  Count& next;
  KOKKOS_FUNCTION void operator()(int rank) const {
    rows(next) = row;
    destinations(next) = rank;
    ++next;
  }
};

template <class MemorySpace>
struct FillGhosts {
  NeedsGhosts<MemorySpace> needs;
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> offsets;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;
  Kokkos::View<int*, Kokkos::LayoutLeft, MemorySpace> destinations;
  KOKKOS_FUNCTION void operator()(const Count row) const {
    Count next = offsets(row);
    needs.for_each_rank(
        row, WriteGhost<MemorySpace>{rows, destinations, static_cast<LocalIndex>(row), next});
  }
};

std::vector<Neighbour> neighbours_of(int rank, const std::vector<BoxBound<3>>& domains,
                                     const Friendship& rule) {
  std::vector<Neighbour> near;
  for (int other = 0; other < static_cast<int>(domains.size()); ++other)
    if (gets_ghosts(other, rank) &&
        rule.least_distance2(domains[rank], domains[other]) < rule.reach2)
      near.push_back({domains[other], other});
  return near;
}

}  // namespace

template <class ExecutionSpace>
BoxBound<3> domain_bound(const ExecutionSpace& space,
                         const Points<3, typename ExecutionSpace::memory_space>& position) {
  BoxBound<3> bound;
  const Box<3> box = bounding_box(space, position);
  for (int a = 0; a < 3; ++a) {
    bound.lower[a] = box.lower[a];
    bound.upper[a] = box.upper[a];
    if (position.extent(0) > 0) continue;
    bound.lower[a] = std::numeric_limits<Real>::infinity();
    bound.upper[a] = -std::numeric_limits<Real>::infinity();
  }
  return bound;
}

template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> select_near(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<Neighbour>& near, int ranks, const Friendship& rule,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>;
  const Count n = position.extent(0);
  DestinationOrder<MemorySpace> ghosts;
  ghosts.counts.assign(static_cast<std::size_t>(ranks), 0);
  if (n == 0 || near.empty()) return ghosts;

  const auto neighbours = workspace.template get<Neighbour>("fof::neighbours", near.size());
  Kokkos::deep_copy(neighbours,
                    Kokkos::View<const Neighbour*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                        near.data(), near.size()));
  const NeedsGhosts<MemorySpace> needs{position, neighbours, rule};
  const auto counts = workspace.template get<std::uint32_t>("fof::ghost_counts", n);
  const auto offsets = workspace.template get<Count>("fof::ghost_offsets", n + 1);
  Kokkos::parallel_for("copse::fof::count_ghosts", Range(space, 0, n),
                       CountGhosts<MemorySpace>{needs, counts});
  exclusive_scan(space, counts, offsets);
  Count total = 0;
  Kokkos::deep_copy(space, total, Kokkos::subview(offsets, n));
  space.fence("copse::fof::count_ghosts");
  if (total > max_particles_per_rank)
    throw InputError("other ranks need too many particles of one rank: link with a shorter length");

  const auto rows = workspace.template get<LocalIndex>("fof::ghost_rows", total);
  const auto destinations = workspace.template get<int>("fof::ghost_destinations", total);
  Kokkos::parallel_for("copse::fof::fill_ghosts", Range(space, 0, n),
                       FillGhosts<MemorySpace>{needs, offsets, rows, destinations});
  const auto order = order_by_destination(space, destinations, ranks);
  ghosts.counts = order.counts;
  ghosts.rows = Kokkos::View<LocalIndex*, MemorySpace>(
      Kokkos::view_alloc(space, "copse::fof::ghosts", Kokkos::WithoutInitializing), total);
  gather_rows("copse::fof::order_ghosts", space, rows, ghosts.rows, order.rows);
  return ghosts;
}

template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> select_ghosts(
    const ExecutionSpace& space, const Points<3, typename ExecutionSpace::memory_space>& position,
    const std::vector<BoxBound<3>>& domains, int rank, const Friendship& rule,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  return select_near(space, position, neighbours_of(rank, domains, rule),
                     static_cast<int>(domains.size()), rule, workspace);
}

#define COPSE_INSTANTIATE(Space)                                                                 \
  template BoxBound<3> domain_bound(const Space&, const Points<3, Space::memory_space>&);        \
  template DestinationOrder<Space::memory_space> select_near(                                    \
      const Space&, const Points<3, Space::memory_space>&, const std::vector<Neighbour>&, int,   \
      const Friendship&, Workspace<Space::memory_space>&);                                       \
  template DestinationOrder<Space::memory_space> select_ghosts(                                  \
      const Space&, const Points<3, Space::memory_space>&, const std::vector<BoxBound<3>>&, int, \
      const Friendship&, Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
