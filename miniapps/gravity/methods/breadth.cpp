// The method "breadth": groups of consecutive bodies walk together, and full queues of nodes and
// bodies are evaluated at once.
#include "breadth.hpp"

#include "../make.hpp"
#include "target_groups.hpp"
#include <copse/backend/backends.hpp>

namespace copse::gravity {
namespace {

template <class ExecutionSpace>
class Breadth final : public Method<ExecutionSpace> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit Breadth(const ExecutionSpace& space) : Method<ExecutionSpace>(space), groups_(space) {}

  void start(const BodyTree<MemorySpace>& bodies,
             const GravityFields<MemorySpace>& fields) override {
    with_moments(bodies, [&]<int Order>(const Multipoles<Order, MemorySpace>& moments) {
      launch<NoCounters>(bodies, moments, fields, {});
    });
  }

  Interactions count(const BodyTree<MemorySpace>& bodies) override {
    const CounterTotals<MemorySpace> totals("copse::gravity::breadth_totals");
    launch<PacketCounters>(bodies, Multipoles<1, MemorySpace>{},
                           allocate_fields<MemorySpace>(bodies.size()), totals);
    return interactions_of(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals)(),
                           true);
  }

  const BucketList<MemorySpace>& groups(const BodyTree<MemorySpace>& bodies) override {
    const bool all = bodies.targets.order.extent(0) == 0;
    return groups_.of(bodies, BreadthGroups<ExecutionSpace>::width,
                      bodies.group_bodies > 0 ? bodies.group_bodies
                                              : BreadthGroups<ExecutionSpace>::node_bodies(all));
  }

 private:
  template <class Counts, int Order>
  void launch(const BodyTree<MemorySpace>& bodies, const Multipoles<Order, MemorySpace>& moments,
              const GravityFields<MemorySpace>& fields, const CounterTotals<MemorySpace>& totals) {
    const BucketList<MemorySpace>& list = groups(bodies);
    with_visitor(bodies, moments, fields, [&](const auto& from) {
      if (from.targets.is_spline())
        launch_with<true, Counts>(from, list, totals);
      else
        launch_with<false, Counts>(from, list, totals);
    });
  }

  template <bool Spline, class Counts, int Order, bool Relative>
  void launch_with(const BarnesHut<Order, MemorySpace, Relative>& from,
                   const BucketList<MemorySpace>& groups,
                   const CounterTotals<MemorySpace>& totals) {
    const Count count = groups.begin.extent(0) - 1;
    const char* label = "copse::gravity::breadth";
    if constexpr (runs_on_host<ExecutionSpace>) {
      using Walk = BreadthVectors<MemorySpace, Order, Relative, Spline, Counts>;
      static_assert(BreadthGroups<ExecutionSpace>::width == Walk::vectors * Walk::L::width);
      Kokkos::parallel_for(
          label,
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(space_, 0, count)
              .set_chunk_size(16),
          Walk{from, groups, totals});
    } else {
      using Walk = BreadthWarps<ExecutionSpace, Order, Relative, Spline, Counts>;
      const auto teams = static_cast<int>((count + Walk::warps - 1) / Walk::warps);
      const auto scratch = static_cast<int>(Walk::warps * sizeof(typename Walk::Room) + 16);
      Kokkos::parallel_for(
          label,
          Kokkos::TeamPolicy<ExecutionSpace>(space_, teams, Walk::warps * Walk::width)
              .set_scratch_size(0, Kokkos::PerTeam(scratch)),
          Walk{from, groups, totals});
    }
  }

  using Method<ExecutionSpace>::space_;
  TargetGroups<ExecutionSpace> groups_;
};

}  // namespace

template <class ExecutionSpace>
MethodPointer<ExecutionSpace> make_breadth(const ExecutionSpace& space, const Request&) {
  return std::make_unique<Breadth<ExecutionSpace>>(space);
}

#define COPSE_INSTANTIATE(Space) \
  template MethodPointer<Space> make_breadth(const Space&, const Request&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::gravity
