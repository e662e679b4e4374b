#include "engine.hpp"

#include "fused_bisection.hpp"
#include <copse/backend/backends.hpp>

namespace copse::orb {
namespace {

template <class ExecutionSpace>
class FusedEngine final : public OrbEngine<ExecutionSpace> {
 public:
  using typename OrbEngine<ExecutionSpace>::MemorySpace;
  using typename OrbEngine<ExecutionSpace>::Cells;

  explicit FusedEngine(bool only_where_worthwhile) : worthwhile_(only_where_worthwhile) {}

  void cut(const ExecutionSpace& space, const OrbPolicy& policy, const Cells& cells, int levels,
           const BisectionArrays<3, MemorySpace>& arrays,
           Workspace<MemorySpace>& workspace) const override {
    fused::bisect_fused(space, policy, cells, levels, arrays, workspace,
                        limits(arrays.points.extent(0), levels));
  }
  void cut(const ExecutionSpace& space, const OrbPolicy& policy, const Cells& cells, int levels,
           const PointArrays<3, MemorySpace>& arrays,
           Workspace<MemorySpace>& workspace) const override {
    fused::bisect_fused(space, policy, cells, levels, arrays, workspace,
                        limits(arrays.points.extent(0), levels));
  }
  Count workspace_bytes(Count rows, int levels) const override {
    return fused::fused_workspace_bytes<ExecutionSpace>(rows, levels, limits(rows, levels));
  }

 private:
  fused::RoundLimits limits(Count rows, int levels) const {
    return worthwhile_ ? fused::worthwhile_rounds(rows, levels) : fused::RoundLimits{};
  }

  bool worthwhile_;
};

}  // namespace

template <class ExecutionSpace>
std::shared_ptr<const OrbEngine<ExecutionSpace>> engine_for(Placement placement) {
  if (placement == Placement::fused) return std::make_shared<FusedEngine<ExecutionSpace>>(false);
  if (runs_on_host<ExecutionSpace>) return std::make_shared<OrbEngine<ExecutionSpace>>();
  return std::make_shared<FusedEngine<ExecutionSpace>>(true);
}

#define COPSE_INSTANTIATE(Space) \
  template std::shared_ptr<const OrbEngine<Space>> engine_for<Space>(Placement);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::orb
