#pragma once
/// \file
/// Random projections to few dimensions: they turn long rows, for example images, into points.
///
/// Every coordinate is a random linear combination of all numbers of the row, with normal weights
/// of mean 0 and variance 1 / Dim, so squared distances are preserved on average (the lemma of
/// Johnson and Lindenstrauss, 1984). With only 7 dimensions the distance of a single pair is off by
/// half or so; the clusters of the data remain. Weights depend only on the seed and the column.

#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <vector>

namespace copse {

/// Instantiated for the dimensions of COPSE_DIMENSIONS.
template <int Dim>
class RandomProjection {
 public:
  RandomProjection(Count columns, std::uint64_t seed);

  Count columns() const { return weights_.size(); }

  /// Projects row i < count of a table, numbers `table[i + j * column_stride]`, to point `first +
  /// i`. Sums in double in column order. O(count columns Dim), on one thread.
  void project(const Real* table, Count count, Count column_stride,
               const Points<Dim, Kokkos::HostSpace>& points, Count first) const;

 private:
  std::vector<Kokkos::Array<double, Dim>> weights_;  ///< one entry per column of the table
};

#define COPSE_DECLARE_RANDOM_PROJECTION(Dim) extern template class RandomProjection<Dim>;
COPSE_FOR_EACH_DIMENSION(COPSE_DECLARE_RANDOM_PROJECTION)
#undef COPSE_DECLARE_RANDOM_PROJECTION

}  // namespace copse
