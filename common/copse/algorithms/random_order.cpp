#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/random_order.hpp>
#include <copse/backend/backends.hpp>
#include <copse/particles/philox.hpp>

namespace copse {

namespace {

template <class MemorySpace>
using Rows = Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace>;

/// Lists the rows of each half in ascending order.
template <class MemorySpace>
struct ListHalves {
  Kokkos::View<const std::uint8_t*, Kokkos::LayoutLeft, MemorySpace> in_tree;
  Rows<MemorySpace> tree;
  Rows<MemorySpace> queries;

  KOKKOS_FUNCTION void operator()(Count row, Count& before, bool last_pass) const {
    const bool here = in_tree(row) != 0;
    if (last_pass) {
      if (here)
        tree(before) = static_cast<LocalIndex>(row);
      else
        queries(row - before) = static_cast<LocalIndex>(row);
    }
    if (here) ++before;
  }
};

/// Draws random numbers for the purpose and sorts `order` by them.
template <class ExecutionSpace>
void sort_random_keys(const ExecutionSpace& space, std::uint64_t seed, RandomPurpose purpose,
                      const Rows<typename ExecutionSpace::memory_space>& order,
                      Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const Count n = order.extent(0);
  const auto keys = workspace.template get<std::uint64_t>("random_order::keys", n);
  Kokkos::parallel_for(
      "copse::random_order::draw", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        const PhiloxBlock block = RandomStream(seed, purpose, i).next_block();
        keys(i) = static_cast<std::uint64_t>(block[0]) << 32 | block[1];
        order(i) = static_cast<LocalIndex>(i);
      });
  sort_by_key(space, keys, order, workspace);
}

}  // namespace

template <class ExecutionSpace>
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> random_order(
    const ExecutionSpace& space, Count n, std::uint64_t seed,
    Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const Rows<typename ExecutionSpace::memory_space> order(
      Kokkos::view_alloc(space, "copse::random_order::order", Kokkos::WithoutInitializing), n);
  sort_random_keys(space, seed, RandomPurpose::random_order, order, workspace);
  space.fence("copse::random_order");
  return order;
}

template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> gather_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft,
                       typename ExecutionSpace::memory_space>& rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Points<Dim, MemorySpace> gathered(
      Kokkos::view_alloc(space, "copse::random_order::points", Kokkos::WithoutInitializing),
      rows.extent(0));
  gather_rows("copse::random_order::gather", space, points, gathered, rows);
  space.fence("copse::random_order::gather");
  return gathered;
}

template <int Dim, class ExecutionSpace>
PointHalves<Dim, typename ExecutionSpace::memory_space> split_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    std::uint64_t seed, Workspace<typename ExecutionSpace::memory_space>& workspace) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = points.extent(0);
  const Count queries = n / 2;
  const auto order = workspace.template get<LocalIndex>("split_points::order", n);
  const auto in_tree = workspace.template get<std::uint8_t>("split_points::in_tree", n);
  const auto tree_rows = workspace.template get<LocalIndex>("split_points::tree", n - queries);
  const auto query_rows = workspace.template get<LocalIndex>("split_points::queries", queries);
  sort_random_keys(space, seed, RandomPurpose::random_half, order, workspace);
  Kokkos::parallel_for(
      "copse::split_points::mark", CountRange<ExecutionSpace>(space, 0, n),
      KOKKOS_LAMBDA(const Count k) { in_tree(order(k)) = k < n - queries ? 1 : 0; });
  Kokkos::parallel_scan("copse::split_points::list", CountRange<ExecutionSpace>(space, 0, n),
                        ListHalves<MemorySpace>{in_tree, tree_rows, query_rows});
  return {gather_points<Dim>(space, points, tree_rows),
          gather_points<Dim>(space, points, query_rows)};
}

#define COPSE_INSTANTIATE_ORDER(Space)                                                             \
  template Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Space::memory_space> random_order<Space>( \
      const Space&, Count, std::uint64_t, Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE_ORDER)

#define COPSE_INSTANTIATE_POINTS(Space, Dim)                                            \
  template Points<Dim, Space::memory_space> gather_points<Dim, Space>(                  \
      const Space&, const Points<Dim, Space::memory_space>&,                            \
      const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft, Space::memory_space>&); \
  template PointHalves<Dim, Space::memory_space> split_points<Dim, Space>(              \
      const Space&, const Points<Dim, Space::memory_space>&, std::uint64_t,             \
      Workspace<Space::memory_space>&);
COPSE_FOR_EACH_BACKEND_AND_DIMENSION(COPSE_INSTANTIATE_POINTS)

}  // namespace copse
