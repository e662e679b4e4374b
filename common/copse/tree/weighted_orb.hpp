#pragma once
/// \file
/// ORB by weight: every leaf gets its share of the total weight instead of the particle count
/// ([Rehmann 2022] eq. 6; the rule is stated in histogram_cuts.hpp).

#include <copse/algorithms/workspace.hpp>
#include <copse/tree/integer_weights.hpp>
#include <copse/tree/orb_builder.hpp>

#include <vector>

namespace copse {

/// Data that travels with a point.
struct WeightedRow {
  LocalIndex index;
  std::uint32_t weight;
};

/// As OrbBuilder, for particles with integer weights (integer_weights.hpp). The weights move with
/// the indices, level by level. With unit weights the tree is that of OrbBuilder.
template <class ExecutionSpace>
class WeightedOrbBuilder {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Permutation = Kokkos::View<LocalIndex*, MemorySpace>;

  explicit WeightedOrbBuilder(const ExecutionSpace& space = {}) : space_(space) {}

  /// Cuts `points` as OrbBuilder::build does; `weights` are those of the points in input order and
  /// are not changed. O(n log d); memory in addition to the arguments: one copy of the points and
  /// 16 bytes per point.
  /// \throws InputError as OrbBuilder::build
  OrbTree<MemorySpace> build(Points<3, MemorySpace>& points, Permutation& permutation,
                             const IntegerWeights<MemorySpace>& weights, const OrbOptions& options);

  /// Bytes the builder allocates for n points in addition to the arguments, including the tree.
  static Count estimate_bytes(Count n, std::uint32_t leaves);

  /// Number of histograms for each level of the last build.
  const std::vector<int>& rounds_per_level() const { return rounds_per_level_; }

 private:
  ExecutionSpace space_;
  Workspace<MemorySpace> workspace_;
  Points<3, MemorySpace> spare_points_;
  Kokkos::View<WeightedRow*, MemorySpace> rows_;
  Kokkos::View<WeightedRow*, MemorySpace> spare_rows_;
  std::vector<int> rounds_per_level_;
};

}  // namespace copse
