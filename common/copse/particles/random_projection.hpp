#pragma once
/// \file
/// Random projections to few dimensions: how rows of many numbers, images say, become points.
///
/// Every coordinate is a random linear combination of all numbers of the row, with weights of mean
/// 0 and variance 1 / Dim, so that squared distances are kept on average (the lemma of Johnson and
/// Lindenstrauss, 1984; weights of +-1: Achlioptas, "Database-friendly random projections", 2003).
/// With as few as 7 dimensions distances of single pairs are off by half or so; the clusters of the
/// data remain. Weights depend on the seed and the column alone.

#include <copse/backend/dimensions.hpp>
#include <copse/particles/points.hpp>

#include <cstdint>
#include <vector>

namespace copse {

enum class ProjectionWeights {
  gaussian,  ///< normal numbers over sqrt(Dim)
  signs,     ///< +-1 / sqrt(Dim), with equal chances
};

struct ProjectionOptions {
  ProjectionWeights weights = ProjectionWeights::gaussian;
  std::uint64_t seed = 42;
};

/// Instantiated for the dimensions of COPSE_DIMENSIONS.
template <int Dim>
class RandomProjection {
 public:
  RandomProjection(Count columns, const ProjectionOptions& options);

  Count columns() const { return weights_.size(); }

  /// Row i < count of a table, numbers `table[i + j * column_stride]`, becomes point `first + i`.
  /// Sums in double in the order of the columns. O(count columns Dim), on one thread.
  void project(const Real* table, Count count, Count column_stride,
               const Points<Dim, Kokkos::HostSpace>& points, Count first) const;

 private:
  std::vector<Kokkos::Array<double, Dim>> weights_;  ///< one row a column of the table
};

#define COPSE_DECLARE_RANDOM_PROJECTION(Dim) extern template class RandomProjection<Dim>;
COPSE_FOR_EACH_DIMENSION(COPSE_DECLARE_RANDOM_PROJECTION)
#undef COPSE_DECLARE_RANDOM_PROJECTION

}  // namespace copse
