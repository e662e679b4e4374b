#include <copse/backend/backends.hpp>
#include <copse/domains/sample_domains.hpp>

namespace copse {
template <class ExecutionSpace>
DistributedPoints<typename ExecutionSpace::memory_space> sample_rows(
    const ExecutionSpace& space, const DomainSample& sample,
    const Points<3, typename ExecutionSpace::memory_space>& position, GlobalId first,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count begin = sample.strata_before(first);
  const Count n = sample.strata_before(first + position.extent(0)) - begin;
  DistributedPoints<MemorySpace> taken;
  taken.position = Points<3, MemorySpace>(
      workspace.template get<Real>("domains::sampled_position", 3 * n).data(), n);
  taken.id = workspace.template get<GlobalId>("domains::sampled_id", n);
  Kokkos::parallel_for(
      "copse::domains::sample_rows", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        const GlobalId row = sample.row(begin + i);
        for (int a = 0; a < 3; ++a) taken.position(i, a) = position(row - first, a);
        taken.id(i) = row;
      });
  return taken;
}

#define COPSE_INSTANTIATE(Space)                                                          \
  template DistributedPoints<Space::memory_space> sample_rows(                            \
      const Space&, const DomainSample&, const Points<3, Space::memory_space>&, GlobalId, \
      Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
