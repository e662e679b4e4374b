#include "brute_force.hpp"

#include "near_pairs.hpp"
#include <copse/algorithms/union_find.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse::fof {
namespace {

/// On a host: one packet against all particles after its first one.
template <class MemorySpace, bool Velocities>
struct LinkVectors {
  TreePoints<MemorySpace> points;
  Friendship rule;
  UnionFind<MemorySpace> sets;

  KOKKOS_FUNCTION void operator()(const Count packet) const { KOKKOS_IF_ON_HOST((meet(packet);)) }

  void meet(const Count packet) const {
    using L = VectorLanes;
    const auto n = static_cast<LocalIndex>(points.position.extent(0));
    const auto begin = static_cast<LocalIndex>(packet * L::width);
    const auto size = std::min(n - begin, static_cast<LocalIndex>(L::width));
    const LeafPoints<L, Velocities> mine({begin, size}, 0, points);
    for (LocalIndex row = begin + 1; row < n; ++row) {
      const L::Mask found = mine.friends_of(row, points, rule);
      if (any(found)) unite_lanes(sets, mine.rows.row, found, row);
    }
  }
};

/// On a device: one team against all tiles from its own onwards.
template <class ExecutionSpace, bool Velocities>
struct LinkTiles {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int tile_rows = 256;
  static constexpr int columns = Velocities ? 6 : 3;
  static constexpr std::size_t scratch_bytes = sizeof(Real) * columns * tile_rows;

  TreePoints<MemorySpace> points;
  Friendship rule;
  UnionFind<MemorySpace> sets;

  /// One particle of the tile, three of its columns.
  struct TileRow {
    const Real* first;
    KOKKOS_FORCEINLINE_FUNCTION Real operator()(int axis) const { return first[axis * tile_rows]; }
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Count n = points.position.extent(0);
    const Count tiles = (n + tile_rows - 1) / tile_rows;
    const auto thread = static_cast<Count>(team.team_rank());
    const Count mine = static_cast<Count>(team.league_rank()) * tile_rows + thread;
    const auto self = static_cast<LocalIndex>(mine < n ? mine : n - 1);
    const std::size_t bytes = scratch_bytes;  // get_shmem takes a reference
    auto* const tile = static_cast<Real*>(team.team_shmem().get_shmem(bytes));
    const LanePoint<OneLane, 3> x = lane_point<OneLane, 3>(points.position, self);
    LanePoint<OneLane, 3> v{};
    if constexpr (Velocities) v = lane_point<OneLane, 3>(points.velocity, self);
    for (Count t = static_cast<Count>(team.league_rank()); t < tiles; ++t) {
      const Count first = t * tile_rows;
      const Count size = n - first < tile_rows ? n - first : tile_rows;
      team.team_barrier();  // wait until all threads have finished the previous tile
      if (thread < size) fill(tile + thread, first + thread);
      team.team_barrier();
      if (mine >= n) continue;
      for (Count j = 0; j < size; ++j) {
        Real sum = rule.distance2<OneLane>(x, TileRow{tile + j});
        if constexpr (Velocities)
          sum = rule.with_velocity2<OneLane>(sum, v, TileRow{tile + 3 * tile_rows + j});
        if (sum < rule.reach2 && mine < first + j)
          sets.unite(self, static_cast<LocalIndex>(first + j));
      }
    }
  }

  KOKKOS_FUNCTION void fill(Real* to, Count row) const {
    for (int a = 0; a < 3; ++a) {
      to[a * tile_rows] = points.position(row, a);
      if constexpr (Velocities) to[(3 + a) * tile_rows] = points.velocity(row, a);
    }
  }
};

template <bool Velocities, class ExecutionSpace, class MemorySpace>
void link_all_pairs(const ExecutionSpace& space, const LinkProblem<MemorySpace>& problem,
                    const UnionFind<MemorySpace>& sets) {
  const TreePoints<MemorySpace> points{problem.position, problem.velocity};
  const Count n = problem.size();
  if constexpr (runs_on_host<ExecutionSpace>) {
    using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>;
    const Count packets = (n + VectorLanes::width - 1) / VectorLanes::width;
    Kokkos::parallel_for("copse::fof::all_pairs", Dynamic(space, 0, packets).set_chunk_size(4),
                         LinkVectors<MemorySpace, Velocities>{points, problem.friendship, sets});
  } else {
    using Tiles = LinkTiles<ExecutionSpace, Velocities>;
    const Count tiles = (n + Tiles::tile_rows - 1) / Tiles::tile_rows;
    Kokkos::parallel_for(
        "copse::fof::all_pairs",
        Kokkos::TeamPolicy<ExecutionSpace>(space, static_cast<int>(tiles), Tiles::tile_rows)
            .set_scratch_size(0, Kokkos::PerTeam(Tiles::scratch_bytes)),
        Tiles{points, problem.friendship, sets});
  }
}

}  // namespace

template <class ExecutionSpace>
void BruteForceLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& problem,
                                            const LinkOptions&, const Labels<MemorySpace>& labels) {
  if (problem.size() == 0) return;
  // Sets are indexed by particle, and the root of a set is its smallest index: the label.
  const UnionFind<MemorySpace> sets{labels};
  const Kokkos::Profiling::ScopedRegion region("copse::fof::link");
  make_singletons(space_, sets);
  if (problem.has_velocity()) {
    link_all_pairs<true>(space_, problem, sets);
  } else {
    link_all_pairs<false>(space_, problem, sets);
  }
  flatten_sets(space_, sets);
  space_.fence("copse::fof::link");
}

#define COPSE_INSTANTIATE(Space) template class BruteForceLinker<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
