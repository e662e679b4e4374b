#include <copse/backend/backends.hpp>
#include <copse/tree/build_memory.hpp>
#include <copse/tree/detail/distributed_build.hpp>
#include <copse/tree/distributed_orb.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>

namespace copse {

template <class ExecutionSpace>
DistributedOrb<typename ExecutionSpace::memory_space> DistributedOrbBuilder<ExecutionSpace>::build(
    const DistributedPoints<MemorySpace>& points, const OrbOptions& options, Reshuffle reshuffle,
    bool weighted) {
  check_orb_size(points.position.extent(0), options.leaves);
  const Kokkos::Profiling::ScopedRegion region("copse::distributed::build");
  cost_ = {};
  if (weighted)
    return detail::DistributedBuild<ExecutionSpace, detail::WeightedId>(space_, comm_, workspace_,
                                                                        builders_, cost_)
        .run(points, options, reshuffle);
  return detail::DistributedBuild<ExecutionSpace, GlobalId>(space_, comm_, workspace_, builders_,
                                                            cost_)
      .run(points, options, reshuffle);
}

template <class ExecutionSpace>
Count DistributedOrbBuilder<ExecutionSpace>::estimate_bytes(Count rows, int ranks,
                                                            std::uint32_t leaves,
                                                            Reshuffle reshuffle, bool weighted) {
  using Key = OrderedKey<Real>;
  const Count weight = weighted ? sizeof(std::uint32_t) : 0;
  const Count row_set = rows * (3 * sizeof(Real) + sizeof(GlobalId) + weight);
  // Every rank has the whole tree, and a level's cells are looked at on all that share them.
  const Count most_cells = most_cells_cut(orb_depth(leaves));
  const Count shared_cells = reshuffle == Reshuffle::local
                                 ? most_cells
                                 : std::min(most_cells, Count{2} * static_cast<Count>(ranks - 1));
  Count bytes = orb_tree_bytes(leaves) + 2 * row_set + rows * (sizeof(GlobalId) + weight) +
                HistogramCuts<MemorySpace>::template workspace_bytes<Key>(rows, shared_cells) +
                MoveStably::workspace_bytes<Key>(rows, shared_cells);
  if (reshuffle == Reshuffle::local) return bytes;
  const std::uint32_t own_leaves = std::max(1u, leaves / static_cast<std::uint32_t>(ranks));
  return bytes + row_set + rows * (point_row_bytes + weight) +
         (weighted ? WeightedOrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves)
                   : OrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves));
}

#define COPSE_INSTANTIATE(Space) template class DistributedOrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
