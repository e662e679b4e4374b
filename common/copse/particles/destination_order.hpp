#pragma once
/// \file
/// A stable counting sort of particles by destination rank.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

/// The rows of a table grouped by destination.
template <class MemorySpace>
struct DestinationOrder {
  /// Row numbers sorted by destination rank; ascending within a rank.
  Kokkos::View<LocalIndex*, MemorySpace> rows;
  std::vector<Count> counts;  ///< [ranks], rows per destination
};

/// Number of destinations outside [0, ranks).
template <class ExecutionSpace>
Count count_invalid_destinations(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks);

/// Groups rows by destination, keeping their order, so that the result is the same on every
/// backend.
///
/// Rows are cut into tiles of max(256, 4 ranks). One thread counts a tile's rows per destination, a
/// scan over the (destination, tile) table turns the counts into start offsets, and the same thread
/// puts the tile's rows in order. No atomics are used, so the result does not depend on thread
/// order. Every destination must be in [0, ranks). O(n + ranks) work. Memory in addition to the
/// result: 8 bytes per slot of the table, which has n * ranks / tile + ranks slots and so at most 2
/// bytes per row. Moves 2 * 4 + 4 bytes per row, and the table four times.
template <class ExecutionSpace>
DestinationOrder<typename ExecutionSpace::memory_space> order_by_destination(
    const ExecutionSpace& exec,
    const Kokkos::View<const int*, typename ExecutionSpace::memory_space>& destination, int ranks);

}  // namespace copse
