#include "ghosts.hpp"

#include <copse/algorithms/scan.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/backend/packet.hpp>
#include <copse/particles/bounding_box.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace copse::fof {
namespace {

/// Rows that a packet takes, or a thread of a host.
inline constexpr int ghost_tile = 1024;
inline constexpr int ghost_threads = 256;
inline constexpr int ghost_packets = ghost_threads / packet_width;

/// Slot k * tiles + t of the table is how many rows of tile t neighbour k needs, then where they
/// go: by neighbour, then by tile.
template <class MemorySpace>
struct GhostTable {
  Points<3, MemorySpace> position;
  Kokkos::View<const Neighbour*, Kokkos::LayoutLeft, MemorySpace> neighbours;
  Friendship rule;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> table;  ///< [neighbours * tiles + 1]
  Count tiles;

  KOKKOS_FUNCTION Count size() const { return position.extent(0); }
  KOKKOS_FUNCTION Count& slot(Count k, Count t) const { return table(k * tiles + t); }
  KOKKOS_FUNCTION auto point(Count row) const {
    return lane_point<OneLane, 3>(position, static_cast<LocalIndex>(row));
  }
  template <class Point>
  KOKKOS_FUNCTION bool needs(Count k, const Point& x) const {
    return rule.least_distance2<OneLane>(neighbours(k).domain, x) < rule.reach2;
  }
};

/// Counts the rows that neighbours need (Place is false), or writes them where they go.
template <class ExecutionSpace, bool Place>
struct VisitGhosts {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<ghost_threads, 4>>;
  using Team = typename Policy::member_type;
  GhostTable<MemorySpace> ghosts;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> rows;

  /// Device: one packet a tile, 32 rows and up to 32 neighbours at a time. Lane k counts for the
  /// batch's neighbour k.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int lane = team.team_rank() % packet_width;
    const Count t =
        static_cast<Count>(team.league_rank()) * ghost_packets + team.team_rank() / packet_width;
    if (t >= ghosts.tiles) return;
    const Count all = ghosts.neighbours.extent(0);
    for (Count first = 0; first < all; first += packet_width) {
      const int batch = all - first < packet_width ? static_cast<int>(all - first) : packet_width;
      std::uint32_t before = 0;
      for (int round = 0; round < ghost_tile; round += packet_width) {
        const Count row = t * ghost_tile + round + lane;
        const bool used = row < ghosts.size();
        const auto x = ghosts.point(used ? row : ghosts.size() - 1);
        for (int k = 0; k < batch; ++k) {
          const std::uint32_t mask = packet_ballot(used && ghosts.needs(first + k, x));
          if (mask == 0) continue;
          if (Place) {
            const Count place = ghosts.slot(first + k, t) + packet_broadcast(before, k);
            const std::uint32_t below = mask & ((std::uint32_t{1} << lane) - 1);
            if ((mask >> lane) & 1)
              rows(place + Kokkos::popcount(below)) = static_cast<LocalIndex>(row);
          }
          if (lane == k) before += static_cast<std::uint32_t>(Kokkos::popcount(mask));
        }
      }
      if (!Place && lane < batch) ghosts.slot(first + lane, t) = before;
    }
  }

  /// Host: one thread a tile.
  void operator()(Count t) const {
    const Count end = std::min<Count>(ghosts.size(), (t + 1) * ghost_tile);
    for (Count k = 0; k < ghosts.neighbours.extent(0); ++k) {
      Count before = 0;
      for (Count row = t * ghost_tile; row < end; ++row) {
        if (!ghosts.needs(k, ghosts.point(row))) continue;
        if (Place) rows(ghosts.slot(k, t) + before) = static_cast<LocalIndex>(row);
        ++before;
      }
      if (!Place) ghosts.slot(k, t) = before;
    }
  }
};

template <bool Place, class ExecutionSpace>
void visit_ghosts(const std::string& label, const ExecutionSpace& space,
                  const GhostTable<typename ExecutionSpace::memory_space>& ghosts,
                  const Kokkos::View<LocalIndex*, Kokkos::LayoutLeft,
                                     typename ExecutionSpace::memory_space>& rows) {
  using Kernel = VisitGhosts<ExecutionSpace, Place>;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(space, 0, ghosts.tiles),
                         Kernel{ghosts, rows});
  } else {
    const auto teams = static_cast<int>((ghosts.tiles + ghost_packets - 1) / ghost_packets);
    Kokkos::parallel_for(label, typename Kernel::Policy(space, teams, ghost_threads),
                         Kernel{ghosts, rows});
  }
}

/// begin(k) = first place of neighbour k's rows once the table is scanned; at last, the total.
template <class MemorySpace>
struct ReadBegins {
  Kokkos::View<const Count*, Kokkos::LayoutLeft, MemorySpace> table;
  Count tiles;
  Kokkos::View<Count*, Kokkos::LayoutLeft, MemorySpace> begin;
  KOKKOS_FUNCTION void operator()(const Count k) const { begin(k) = table(k * tiles); }
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
  const Count tiles = (n + ghost_tile - 1) / ghost_tile;
  const Count slots = near.size() * tiles;
  const auto table = workspace.template get<Count>("fof::ghost_table", slots + 1);
  const GhostTable<MemorySpace> wanted{position, neighbours, rule, table, tiles};
  visit_ghosts<false>("copse::fof::count_ghosts", space, wanted, {});
  exclusive_scan(space, Kokkos::subview(table, std::pair(Count{0}, slots)), table);
  const auto begin = workspace.template get<Count>("fof::ghost_begin", near.size() + 1);
  Kokkos::parallel_for("copse::fof::read_begins", Range(space, 0, near.size() + 1),
                       ReadBegins<MemorySpace>{table, tiles, begin});
  space.fence("copse::fof::count_ghosts");
  const auto begins = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, begin);
  const Count total = begins(near.size());
  if (total > max_particles_per_rank)
    throw InputError("other ranks need too many particles of one rank: link with a shorter length");
  for (std::size_t k = 0; k < near.size(); ++k)
    ghosts.counts[static_cast<std::size_t>(near[k].rank)] = begins(k + 1) - begins(k);
  const auto rows = workspace.template get<LocalIndex>("fof::ghost_rows", total);
  visit_ghosts<true>("copse::fof::place_ghosts", space, wanted, rows);
  ghosts.rows = rows;
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
