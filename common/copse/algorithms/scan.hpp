#pragma once
/// \file
/// Device-wide exclusive scan: counts to offsets.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

namespace detail {
template <class CountsView, class OffsetsView>
struct ScanCounts {
  CountsView counts;
  OffsetsView offsets;
  KOKKOS_FUNCTION void operator()(Count i, Count& sum, bool final) const {
    const Count here = counts(i);  // before the write: counts and offsets may be one array
    if (final) {
      offsets(i) = sum;
      if (i + 1 == counts.extent(0)) offsets(i + 1) = sum + here;
    }
    sum += here;
  }
};
}  // namespace detail

/// offsets(i) = counts(0) + ... + counts(i - 1) for i in [0, n], so offsets(n) is the total.
/// `counts` has n elements, `offsets` n + 1; they may be the same array. O(n), no synchronisation.
/// One Kokkos::parallel_scan: the offsets of tiles and cells are few compared with the rows, and
/// Kokkos' scan runs on every backend.
template <class ExecutionSpace, class CountsView, class OffsetsView>
void exclusive_scan(const ExecutionSpace& space, const CountsView& counts,
                    const OffsetsView& offsets) {
  const Count n = counts.extent(0);
  if (n == 0) {
    Kokkos::deep_copy(space, Kokkos::subview(offsets, 0), 0);
    return;
  }
  Kokkos::parallel_scan("copse::scan::exclusive",
                        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
                        detail::ScanCounts<CountsView, OffsetsView>{counts, offsets});
}

}  // namespace copse
