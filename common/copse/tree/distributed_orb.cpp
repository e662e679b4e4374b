#include <copse/backend/backends.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/detail/distributed_build.hpp>
#include <copse/tree/distributed_orb.hpp>
#include <copse/tree/leaf_ownership.hpp>
#include <copse/tree/orb_tree.hpp>

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
                                                            Reshuffle reshuffle, bool weighted,
                                                            const Engine& engine) {
  using Key = OrderedKey<Real>;
  using Unmoved = detail::UnmovedCuts<ExecutionSpace>;
  const auto p = static_cast<std::uint32_t>(ranks);
  const bool even = LeafOwnership{leaves, ranks}.is_a_cell_each();
  const bool local = reshuffle == Reshuffle::local;
  const Count weight = weighted ? sizeof(std::uint32_t) : 0;
  const Count rest = rows * (sizeof(GlobalId) + weight);  // of a row, beside its position
  const Count points = rows * 3 * sizeof(Real);
  // Every rank has the whole tree, and a level's cells are looked at on all that share them.
  const Count most_cells = most_cells_cut(orb_depth(leaves));
  const Count shared_cells =
      local ? most_cells : std::min(most_cells, Count{2} * static_cast<Count>(ranks - 1));
  Count bytes = orb_tree_bytes(leaves) +
                HistogramCuts<MemorySpace>::template workspace_bytes<Key>(rows, shared_cells) +
                MoveStably::workspace_bytes<Key>(rows, shared_cells);
  if (weighted) bytes += 2 * rest;  // the packed input, and the result taken apart
  if (local) return bytes + 2 * (points + rest);
  const bool cuts_alone = leaves > p;
  if (ranks == 1)
    bytes += rest;
  else if (reshuffle == Reshuffle::global)
    bytes += (even ? 2 : 3) * (points + rest);
  else if (even && cuts_alone)
    bytes += points + 2 * rest + Unmoved::workspace_bytes(rows, p);
  else
    bytes += 2 * (points + rest) +
             Unmoved::workspace_bytes(rows, std::min<std::size_t>(p, detail::most_unmoved_cells));
  if (!cuts_alone) return bytes + (ranks == 1 ? points : 0);
  const std::uint32_t own_leaves = std::max(1u, leaves / p);
  return bytes + rows * (point_row_bytes + weight) +
         (weighted ? WeightedOrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves)
                   : OrbBuilder<ExecutionSpace>::estimate_bytes(rows, own_leaves, engine));
}

#define COPSE_INSTANTIATE(Space) template class DistributedOrbBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
