#pragma once
/// \file
/// Errors of computed fields against a direct sum in double.

#include "body_tree.hpp"

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse::gravity {

/// `count` rows of n, evenly spaced and including the last; all rows if n <= count.
std::vector<LocalIndex> spaced_rows(Count n, Count count);

/// The exact fields at `rows` of a body tree: sums over all other bodies, and the images of a
/// periodic box, in double, G = 1, with its spline lengths or the Plummer length `softening`. By
/// exact_gravity, or on a host for isolated bodies by direct_gravity. O(rows * n).
template <class ExecutionSpace>
std::vector<GravityField<double>> exact_fields(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    const std::vector<LocalIndex>& rows, double softening);

/// Percentiles of relative errors.
struct ErrorPercentiles {
  double rms = 0.0, median = 0.0, p90 = 0.0, p99 = 0.0, largest = 0.0;
};

/// Where the exact field is zero (a single body), errors are absolute. NaN counts as infinite.
struct FieldErrors {
  ErrorPercentiles acceleration;  ///< |a - exact| / |exact|
  ErrorPercentiles potential;     ///< |phi - exact| / |exact|
};

/// `fields` are those of `rows`, in the same order. Errors are relative to the size of `scale`.
FieldErrors errors_of(const std::vector<GravityField<double>>& fields,
                      const std::vector<GravityField<double>>& exact,
                      const std::vector<GravityField<double>>& scale);
inline FieldErrors errors_of(const std::vector<GravityField<double>>& fields,
                             const std::vector<GravityField<double>>& exact) {
  return errors_of(fields, exact, exact);
}

/// The rows of fields in a memory space, as double.
template <class MemorySpace>
std::vector<GravityField<double>> rows_of(const GravityFields<MemorySpace>& fields,
                                          const std::vector<LocalIndex>& rows);

}  // namespace copse::gravity
