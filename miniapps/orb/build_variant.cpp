#include "build_variant.hpp"

#include "build_levels.hpp"
#include "cut/orb_search.hpp"
#include "fused/engine.hpp"
#include <copse/backend/backends.hpp>

namespace copse::orb {

template <class ExecutionSpace>
VariantBuilder<ExecutionSpace>::VariantBuilder(const ExecutionSpace& space, Placement placement)
    : space_(space), builder_(space, engine_for<ExecutionSpace>(placement)) {}

template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> VariantBuilder<ExecutionSpace>::build(
    OrbRows<MemorySpace>& rows, const OrbOptions& options, const Variant& variant, BuildLog& log) {
  if (variant.uses_builder()) return builder_.build(rows.points, rows.permutation, options);
  OrbSearch<ExecutionSpace> search(variant, log);
  if constexpr (runs_on_host<ExecutionSpace>) {
    if (variant.partition == PartitionMethod::hoare)
      return build_levels(space_, rows, options, search, MoveByHoare{}, arrays_);
  }
  return build_levels(space_, rows, options, search, OrbMover{variant.partition}, arrays_);
}

template <class ExecutionSpace>
Count VariantBuilder<ExecutionSpace>::estimate_bytes(Count n, std::uint32_t leaves,
                                                     const Variant& variant) {
  if (variant.uses_builder())
    return OrbBuilder<ExecutionSpace>::estimate_bytes(
        n, leaves, *engine_for<ExecutionSpace>(variant.placement));
  return levels_bytes(n, leaves, variant.partition) +
         OrbSearch<ExecutionSpace>::workspace_bytes(variant, n, most_cells_cut(orb_depth(leaves)));
}

#define COPSE_INSTANTIATE(Space) template class VariantBuilder<Space>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::orb
