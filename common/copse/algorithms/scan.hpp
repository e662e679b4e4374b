#pragma once
/// \file
/// Device-wide exclusive scan: counts to offsets.

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace copse {

namespace detail {
#if defined(KOKKOS_ENABLE_CUDA)
/// CUB's scan, queued on `space`; in place if `counts` is `offsets`. If `scratch` is null, only
/// returns the bytes of scratch memory required.
/// \throws std::runtime_error if the device reports an error
std::size_t vendor_scan(const Kokkos::Cuda& space, const LocalIndex* counts, LocalIndex* offsets,
                        Count n, void* scratch, std::size_t bytes);
#endif

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
/// One Kokkos::parallel_scan: the offsets of tiles are few compared with the rows, and Kokkos' scan
/// runs on every backend.
template <class ExecutionSpace, class CountsView, class OffsetsView>
void exclusive_scan(const ExecutionSpace& space, const CountsView& counts,
                    const OffsetsView& offsets) {
  const Count n = counts.extent(0);
  if (n == 0) {
    Kokkos::deep_copy(space, Kokkos::subview(offsets, 0), 0);
    return;
  }
  Kokkos::parallel_scan("copse::scan::exclusive", CountRange<ExecutionSpace>(space, 0, n),
                        detail::ScanCounts<CountsView, OffsetsView>{counts, offsets});
}

/// The fewest counts that CUB scans. Its host code costs some 50 us per call (H100, CUDA 13.0, a
/// simulation of 50 particles with and without it); Kokkos' scan of 12.5 million took 360 us.
inline constexpr Count least_vendor_scan = Count{1} << 19;

/// The same for contiguous offsets. On CUDA, CUB scans `least_vendor_scan` counts or more: it reads
/// them once, Kokkos' scan twice.
template <class ExecutionSpace, class CountsView, class OffsetsView>
void exclusive_scan(const ExecutionSpace& space, const CountsView& counts,
                    const OffsetsView& offsets,
                    [[maybe_unused]] Workspace<typename ExecutionSpace::memory_space>& workspace) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    if (counts.extent(0) < least_vendor_scan) return exclusive_scan(space, counts, offsets);
    const auto scan = [&](void* scratch, std::size_t bytes) {
      return detail::vendor_scan(space, counts.data(), offsets.data(), counts.extent(0), scratch,
                                 bytes);
    };
    const std::size_t bytes = scan(nullptr, 0);
    scan(workspace.template get<char>("scan::scratch", bytes).data(), bytes);
    return;
  }
#endif
  exclusive_scan(space, counts, offsets);
}

}  // namespace copse
