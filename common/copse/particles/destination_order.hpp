#pragma once
/// \file
/// A stable counting sort of rows by the rank they are bound for.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

/// The rows of a table grouped by destination.
template <class MemorySpace>
struct DestinationOrder {
  /// Row numbers: those bound for rank 0 first, then rank 1, ...; ascending within a rank.
  Kokkos::View<LocalIndex*, MemorySpace> rows;
  std::vector<Count> counts;  ///< [ranks], rows per destination
};

/// Number of destinations outside [0, ranks).
template <class ExecutionSpace>
Count count_invalid_destinations(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks);

/// Groups rows by destination, keeping their order (so the result is the same on every backend).
///
/// Rows are cut into tiles of max(256, 4 ranks); one thread counts a tile's rows per destination, a
/// scan over the (destination, tile) table turns the counts into first places, and the same thread
/// places the tile's rows one after the other. No atomics, hence no dependence on thread order.
/// Every destination must lie in [0, ranks). O(n + ranks) work; memory beside the result: 8 bytes a
/// slot of the table, which has n * ranks / tile + ranks slots and so at most 2 bytes a row. Moves
/// 2 * 4 + 4 bytes a row, and the table four times.
template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> order_by_destination(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks);

}  // namespace copse
