#include "build_variant.hpp"

#include "build_levels.hpp"
#include "cut/orb_search.hpp"
#include "partition/hoare.hpp"
#include "partition/orb_mover.hpp"
#include <copse/backend/backends.hpp>

namespace copse {

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> build_variant(
    const ExecutionSpace& space, OrbRows<typename ExecutionSpace::memory_space>& rows,
    const OrbOptions& options, const OrbVariant& variant, BuildLog& log) {
  if (variant.placement == Placement::fused)
    return OrbBuilder<ExecutionSpace>(space).build(rows.points, rows.permutation, options);
  OrbSearch<ExecutionSpace> search(variant, log);
  if constexpr (runs_on_host<ExecutionSpace>) {
    if (variant.partition == PartitionMethod::hoare)
      return build_levels(space, rows, options, search, MoveByHoare{});
  }
  return build_levels(space, rows, options, search, OrbMover{variant.partition});
}

#define COPSE_INSTANTIATE(Space)                                                                   \
  template OrbTree<Space::memory_space> build_variant(const Space&, OrbRows<Space::memory_space>&, \
                                                      const OrbOptions&, const OrbVariant&,        \
                                                      BuildLog&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
