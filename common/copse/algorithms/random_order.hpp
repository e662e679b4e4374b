#pragma once
/// \file
/// Points in random order, and a random division into two halves.
///
/// Both sort a counter-based random number per row (`philox.hpp`), so the result depends only on
/// the number of rows and the seed: it is the same on every backend. An order and a division with
/// the same seed are independent of each other.
///
/// Instantiated for every backend and every dimension of COPSE_DIMENSIONS. O(n Dim), and one radix
/// sort of 12 bytes per row (radix_sort.hpp).

#include <copse/algorithms/workspace.hpp>
#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>

namespace copse {

/// A random permutation of [0, n), n <= 2^32: entry k is the k-th row. All permutations are equally
/// likely, up to ties of 64-bit sort keys.
template <class ExecutionSpace>
Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, typename ExecutionSpace::memory_space> random_order(
    const ExecutionSpace& space, Count n, std::uint64_t seed,
    Workspace<typename ExecutionSpace::memory_space>& workspace);

/// The points of the given rows, in this order. Rows must be below points.extent(0).
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> gather_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    const Kokkos::View<const LocalIndex*, Kokkos::LayoutLeft,
                       typename ExecutionSpace::memory_space>& rows);

/// A data set in two halves: S1 for the tree and S2 for the queries ([Liu 2019] section 3.4.1).
/// Every point is in exactly one of them, and each half keeps the order of the whole set.
template <int Dim, class MemorySpace>
struct PointHalves {
  Points<Dim, MemorySpace> tree;     ///< [n - n / 2][Dim]
  Points<Dim, MemorySpace> queries;  ///< [n / 2][Dim]
};

/// Divides the points at random: all choices of n / 2 queries are equally likely.
template <int Dim, class ExecutionSpace>
PointHalves<Dim, typename ExecutionSpace::memory_space> split_points(
    const ExecutionSpace& space, const Points<Dim, typename ExecutionSpace::memory_space>& points,
    std::uint64_t seed, Workspace<typename ExecutionSpace::memory_space>& workspace);

}  // namespace copse
