#pragma once
/// \file
/// Nearest neighbours in a balanced tree: the benchmarks nearest-neighbor, knn, ball-tree and
/// vantage-point differ in the tree and the number of neighbours.

#include "../brute_force.hpp"
#include "point_benchmark.hpp"
#include <copse/algorithms/invert_permutation.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>

#include <algorithm>
#include <vector>

namespace copse::traversal {

/// `K` is the list capacity in registers: 1, or at least --neighbors.
template <class ExecutionSpace, class Tree, int K>
class NeighborBenchmark : public PointBenchmark<ExecutionSpace, Tree> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Base = PointBenchmark<ExecutionSpace, Tree>;
  static constexpr int Dim = Tree::dimension;

  NeighborBenchmark(const ExecutionSpace& space, const PointInput<Dim, MemorySpace>& input,
                    const Request& request)
      : Base(space, input, request), k_(K == 1 ? 1 : request.neighbors) {
    const Count n = this->queries();
    const auto alloc = [](const char* label) {
      return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
    };
    lists_.rows = decltype(lists_.rows)(alloc("copse::traversal::rows"), n, k_);
    lists_.distance2 = decltype(lists_.distance2)(alloc("copse::traversal::distance2"), n, k_);
    if (input.own && !request.from_root)
      row_of_query_ = decltype(row_of_query_)(alloc("copse::traversal::row_of_query"), n);
  }

  void build() {
    Base::build();
    if (row_of_query_.data() != nullptr)
      invert_permutation(this->space_, this->tree_.permutation, row_of_query_);
  }

  NearestNeighbors<K, Tree> visitor() const {
    return {this->tree_, this->input_.queries, lists_, row_of_query_};
  }

  void clear() const {
    Kokkos::deep_copy(lists_.rows, 0);
    Kokkos::deep_copy(lists_.distance2, Real(-1));
  }

  /// Computed from input rows so that trees can be compared. Among points at equal distance the
  /// neighbour chosen depends on the tree.
  std::uint64_t fingerprint() const {
    const auto rows = on_host(lists_.rows);
    const auto distance2 = on_host(lists_.distance2);
    const auto permutation = on_host(this->tree_.permutation);
    std::uint64_t hash = 0;
    for (Count q = 0; q < rows.extent(0); ++q)
      for (Count j = 0; j < k_; ++j) {
        const Count row = rows(q, j);
        hash = mix(hash, row < permutation.extent(0) ? permutation(row) : row);
        hash = mix(hash, Kokkos::bit_cast<OrderedKey<Real>>(distance2(q, j)));
      }
    return hash;
  }

  void corrupt(const std::string& what) const {
    if (this->queries() == 0) throw InputError("--sabotage needs a query");
    auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists_.rows);
    auto distance2 = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lists_.distance2);
    if (what == "distance") {
      distance2(0, k_ - 1) = std::nextafter(distance2(0, k_ - 1), Real(1e30));
    } else if (what == "neighbor") {
      rows(0, k_ - 1) = rows(0, k_ - 1) == 0 ? 1 : rows(0, k_ - 1) - 1;
    } else if (what == "repeat" && k_ > 1) {
      rows(0, 1) = rows(0, 0);
      distance2(0, 1) = distance2(0, 0);
    } else {
      throw InputError("--sabotage of a neighbour search must be distance, neighbor or repeat");
    }
    Kokkos::deep_copy(lists_.rows, rows);
    Kokkos::deep_copy(lists_.distance2, distance2);
  }

  /// Checks that the distances are those of the k nearest points, and that the rows are distinct
  /// points at these distances.
  void verify(app::Verification& verification) const {
    const auto points = on_host(this->input_.points);
    const auto queries = on_host(this->input_.queries);
    const auto permutation = on_host(this->tree_.permutation);
    const auto rows = on_host(lists_.rows);
    const auto distance2 = on_host(lists_.distance2);
    const Count n = points.extent(0);
    const auto chosen = checked_queries(queries.extent(0), n);
    const Count wrong_distances = count_wrong(chosen, [&](Count q) -> Count {
      std::vector<Real> all(std::max(n, k_), Kokkos::Experimental::infinity_v<Real>);
      for (Count i = 0; i < n; ++i) all[i] = plain_distance2<Dim>(queries, q, points, i);
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k_), all.end());
      for (Count j = 0; j < k_; ++j)
        if (distance2(q, j) != all[j]) return 1;
      return 0;
    });
    const Count wrong_rows = count_wrong(chosen, [&](Count q) -> Count {
      for (Count j = 0; j < std::min(k_, n); ++j) {
        if (rows(q, j) >= n) return 1;
        if (plain_distance2<Dim>(queries, q, points, permutation(rows(q, j))) != distance2(q, j))
          return 1;
        for (Count before = 0; before < j; ++before)
          if (rows(q, before) == rows(q, j)) return 1;
      }
      return 0;
    });
    verification.check("distances_equal_brute_force", static_cast<double>(wrong_distances));
    verification.check("neighbors_are_different_points_at_their_distances",
                       static_cast<double>(wrong_rows));
  }

 private:
  Count k_;
  NeighborLists<MemorySpace> lists_;
  Kokkos::View<LocalIndex*, MemorySpace> row_of_query_;
};

}  // namespace copse::traversal
