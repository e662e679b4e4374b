#include <copse/backend/backends.hpp>
#include <copse/particles/destination_order.hpp>

#include <algorithm>

namespace copse {

namespace {

/// Slot (destination, tile) of the table is `destination * tiles + tile`. The scan then runs over
/// all tiles of destination 0, all tiles of destination 1 and so on, which is the order of the
/// result.
template <class MemorySpace>
struct Tiling {
  Kokkos::View<const int*, MemorySpace> destination;
  Kokkos::View<Count*, MemorySpace> table;
  Count tile_rows;
  Count tiles;

  KOKKOS_FUNCTION Count first_row(Count tile) const { return tile * tile_rows; }
  KOKKOS_FUNCTION Count last_row(Count tile) const {
    const Count end = (tile + 1) * tile_rows;
    const Count rows = destination.extent(0);
    return end < rows ? end : rows;
  }
  KOKKOS_FUNCTION Count& slot(Count row, Count tile) const {
    return table(static_cast<Count>(destination(row)) * tiles + tile);
  }
};

}  // namespace

template <class ExecutionSpace>
Count count_invalid_destinations(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks) {
  Count invalid = 0;
  Kokkos::parallel_reduce(
      "copse::particles::check_destinations",
      CountRange<ExecutionSpace>(exec, 0, destination.extent(0)),
      KOKKOS_LAMBDA(const Count row, Count& sum) {
        if (destination(row) < 0 || destination(row) >= ranks) ++sum;
      },
      invalid);
  return invalid;
}

template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> order_by_destination(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Count n = destination.extent(0);
  DestinationOrder<MemorySpace> order;
  order.counts.assign(ranks, 0);
  order.rows = Kokkos::View<LocalIndex*, MemorySpace>(
      Kokkos::view_alloc(exec, "copse::particles::destination_order", Kokkos::WithoutInitializing),
      n);
  if (n == 0) return order;

  const Count tile_rows = std::max<Count>(256, 4 * static_cast<Count>(ranks));
  const Count tiles = (n + tile_rows - 1) / tile_rows;
  const Count slots = tiles * static_cast<Count>(ranks);
  const Kokkos::View<Count*, MemorySpace> table(
      Kokkos::view_alloc(exec, "copse::particles::destination_table"), slots);
  const Tiling<MemorySpace> tiling{destination, table, tile_rows, tiles};
  Kokkos::parallel_for(
      "copse::particles::count_destinations", CountRange<ExecutionSpace>(exec, 0, tiles),
      KOKKOS_LAMBDA(const Count tile) {
        for (Count row = tiling.first_row(tile); row < tiling.last_row(tile); ++row)
          ++tiling.slot(row, tile);
      });
  Kokkos::parallel_scan(
      "copse::particles::scan_destinations", CountRange<ExecutionSpace>(exec, 0, slots),
      KOKKOS_LAMBDA(const Count slot, Count& sum, const bool final) {
        const Count count = table(slot);
        if (final) table(slot) = sum;
        sum += count;
      });
  const auto rows = order.rows;
  // Advances every slot of the table past its rows.
  Kokkos::parallel_for(
      "copse::particles::place_destinations", CountRange<ExecutionSpace>(exec, 0, tiles),
      KOKKOS_LAMBDA(const Count tile) {
        for (Count row = tiling.first_row(tile); row < tiling.last_row(tile); ++row)
          rows(tiling.slot(row, tile)++) = static_cast<LocalIndex>(row);
      });

  // After placing, the slot of a destination's last tile holds the end of its rows.
  const auto last_tiles = Kokkos::subview(
      Kokkos::View<Count**, Kokkos::LayoutRight, MemorySpace, Kokkos::MemoryUnmanaged>(
          table.data(), ranks, tiles),
      Kokkos::ALL, tiles - 1);
  const Kokkos::View<Count*, MemorySpace> ends("copse::particles::destination_ends", ranks);
  Kokkos::deep_copy(exec, ends, last_tiles);
  const auto ends_on_host = Kokkos::create_mirror_view(ends);
  Kokkos::deep_copy(exec, ends_on_host, ends);
  exec.fence("copse::particles::destination_counts");
  for (int r = 0; r < ranks; ++r)
    order.counts[r] = ends_on_host(r) - (r == 0 ? Count{0} : ends_on_host(r - 1));
  return order;
}

#define COPSE_INSTANTIATE(SPACE)                                                \
  template Count count_invalid_destinations<SPACE>(                             \
      const SPACE&, const Kokkos::View<const int*, SPACE::memory_space>&, int); \
  template DestinationOrder<SPACE::memory_space> order_by_destination<SPACE>(   \
      const SPACE&, const Kokkos::View<const int*, SPACE::memory_space>&, int);
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse
