#pragma once
/// \file
/// Threads per tile of the device kernels, with the measurements that chose them.
///
/// One NVIDIA H200, 2^30 uniform particles, 4096 leaves; milliseconds over all 12 levels:
///
///     threads, teams per multiprocessor   256, any   512, 2   512, 3   1024, 2
///     select::filter                          55.9     59.4     46.9      62.8
///     partition::count                        26.9     56.9     45.3      86.5
///     partition::move                        174.2    127.7    140.6     121.2
///
/// As chosen below: 46.8, 29.9 (256 threads, at least 4 teams) and 121.2 ms.
///
/// Many threads hide latency best if each does little work between barriers (move); team-wide
/// reductions favour few threads (count). "Any" means Kokkos' default register limit, which is that
/// of 1024 threads: 64.

#include <copse/algorithms/segments.hpp>

#include <Kokkos_Core.hpp>

namespace copse::detail {

/// Tuning of a tile kernel: threads per team, and the minimum number of teams per multiprocessor,
/// which limits the registers per thread.
template <int Threads, int Teams>
struct TileTuning {
  static constexpr int threads = Threads;
  static constexpr int rows = tile_size / threads;  ///< per thread
  static_assert(tile_size % threads == 0);

  template <class ExecutionSpace>
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<Threads, Teams>>;
};

using FilterTuning = TileTuning<512, 3>;
using CountTuning = TileTuning<256, 4>;
using MoveTuning = TileTuning<1024, 2>;

}  // namespace copse::detail
