#include "spanning_tree.hpp"

#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/union_find.hpp>
#include <copse/backend/backends.hpp>

#include <cstdint>

namespace copse::fof {
template <class ExecutionSpace>
SpanningTree<typename ExecutionSpace::memory_space> sorted_edges(
    const ExecutionSpace& space, const SpanningTree<typename ExecutionSpace::memory_space>& edges,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = edges.extent(0);
  const auto keys = workspace.template get<std::uint64_t>("fof::edge_keys", n);
  const auto order = workspace.template get<LocalIndex>("fof::edge_order", n);
  // Sort by the pair first; the second, stable sort keeps that order among equal distances.
  Kokkos::parallel_for(
      "copse::fof::pair_keys", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        const TreeEdge edge = edges(i);
        keys(i) = std::uint64_t{edge.a} << 32 | edge.b;
        order(i) = static_cast<LocalIndex>(i);
      });
  sort_by_key(space, keys, order, workspace);
  Kokkos::parallel_for(
      "copse::fof::distance_keys", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) { keys(i) = ordered_key(edges(order(i)).distance2); });
  sort_by_key(space, keys, order, workspace, 8 * sizeof(Real));
  SpanningTree<MemorySpace> sorted(
      Kokkos::view_alloc("copse::fof::spanning_tree", Kokkos::WithoutInitializing), n);
  gather_rows("copse::fof::gather_edges", space, edges, sorted, order);
  space.fence("copse::fof::sorted_edges");
  return sorted;
}

template <class ExecutionSpace>
void cut_tree(const ExecutionSpace& space,
              const SpanningTree<typename ExecutionSpace::memory_space>& edges, Real reach2,
              const Labels<typename ExecutionSpace::memory_space>& labels) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const UnionFind<MemorySpace> sets{labels};
  make_singletons(space, sets);
  Kokkos::parallel_for(
      "copse::fof::join_ends", CountRange<ExecutionSpace>(space, 0, edges.extent(0)),
      KOKKOS_LAMBDA(const Count i) {
        const TreeEdge edge = edges(i);
        if (edge.distance2 < reach2) sets.unite(edge.a, edge.b);
      });
  flatten_sets(space, sets);
  space.fence("copse::fof::cut_tree");
}

#define COPSE_INSTANTIATE(ExecutionSpace)                                                          \
  template SpanningTree<ExecutionSpace::memory_space> sorted_edges(                                \
      const ExecutionSpace&, const SpanningTree<ExecutionSpace::memory_space>&,                    \
      Workspace<ExecutionSpace::memory_space>&);                                                   \
  template void cut_tree(const ExecutionSpace&, const SpanningTree<ExecutionSpace::memory_space>&, \
                         Real, const Labels<ExecutionSpace::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
