#pragma once
/// \file
/// Particle weights as integers, so that their sums are exact and independent of summation order,
/// thread count, backend and number of ranks.
///
/// Invariants of the integers
///  - Every one is at least 1 and less than 2^32; the sum over all particles of all ranks is less
///    than 2^64.
///  - Weights that are whole numbers from 1 to the largest integer allowed are kept as they are, so
///    unit weights cut a tree exactly as no weights do.
///  - Otherwise the unit is the largest weight / (2^b - 1), b = min(32, 63 - ceil(log2 N))
///    (weight_bits), and weights are rounded down to whole units. The error of a weight is less
///    than one unit, that of a cell of n particles less than n units; a weight below one unit, and
///    0, counts as one unit.

#include <copse/backend/types.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

template <class MemorySpace>
using RealWeights = Kokkos::View<Real*, Kokkos::LayoutLeft, MemorySpace>;
template <class MemorySpace>
using IntegerWeights = Kokkos::View<std::uint32_t*, Kokkos::LayoutLeft, MemorySpace>;

/// Statistics of all weights, needed before any weight is converted. Several ranks combine theirs
/// by minimum, maximum and sums.
struct WeightRange {
  Real smallest;
  Real largest;
  Count fractions;  ///< weights that are not whole numbers
  Count invalid;    ///< weights that are negative, infinite or NaN
};

/// b: bits of the largest integer, so that N of them add up to less than 2^63.
constexpr int weight_bits(Count particles) {
  int log2 = 0;
  while (log2 < 63 && Count{1} << log2 < particles) ++log2;
  return log2 <= 31 ? 32 : 63 - log2;
}

/// O(n), one read. Without weights: smallest is the largest finite Real, largest is 0.
template <class ExecutionSpace>
WeightRange weight_range(const ExecutionSpace& space,
                         const RealWeights<typename ExecutionSpace::memory_space>& weights);

/// Converts this rank's weights, given the range and the particle count of all ranks.
/// \throws InputError if `range` counts invalid weights, or if no weight is above 0
template <class ExecutionSpace>
IntegerWeights<typename ExecutionSpace::memory_space> integer_weights(
    const ExecutionSpace& space, const RealWeights<typename ExecutionSpace::memory_space>& weights,
    const WeightRange& range, Count particles);

}  // namespace copse
