#pragma once
/// \file
/// Nearest neighbours in a balanced tree: the benchmarks nearest-neighbor, knn, ball-tree and
/// vantage-point differ in the tree and the number of neighbours.

#include "point_benchmark.hpp"
#include <copse/algorithms/permutation.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>

#include <algorithm>
#include <string>

namespace copse::traversal {

/// `K` is the capacity of the lists: 1, or at least --neighbors.
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

  /// On a host, queries that walk alone are about as fast in any order if the points fit into the
  /// core's caches. In the plane (two cores of a Zen 4, SSE, as many queries as points), sort and
  /// walk of sorted queries take 1.02 to 1.14 times as long as the walk in input order for 3500
  /// points, 0.96 to 1.05 for 8000, 0.95 for 10,000 and 0.89 for 15,000; in a vantage-point tree
  /// 1.13 to 1.2, 1.0 to 1.06, 1.02 and 0.97. For 8 neighbours a walk takes longer than a
  /// sort: 1.03 for 2500 points and 0.93 for 5000.
  bool sort_never_pays(WalkKind walk) const {
    constexpr Count cached_bytes = Count{K > 1 ? 32 : 64} * 1024;
    return runs_on_host<ExecutionSpace> && walks_alone(walk) && Dim <= 3 &&
           this->input_.points.extent(0) * Dim * sizeof(Real) <= cached_bytes;
  }

  NearestNeighbors<K, Tree> visitor() const {
    return {this->tree_, this->input_.queries, lists_, row_of_query_};
  }

  void clear() const {
    Kokkos::deep_copy(lists_.rows, 0);
    Kokkos::deep_copy(lists_.distance2, Real(-1));
  }

  /// The neighbours' input rows, so that trees can be compared. Among points at equal distance the
  /// neighbour chosen depends on the tree.
  HostNeighbors results() const {
    const auto permutation = on_host(this->tree_.permutation);
    HostNeighbors found{
        decltype(HostNeighbors::rows)("copse::traversal::input_rows", this->queries(), k_),
        on_host(lists_.distance2)};
    Kokkos::deep_copy(found.rows, lists_.rows);
    LocalIndex* const rows = found.rows.data();
    std::transform(rows, rows + found.rows.span(), rows, [&](LocalIndex row) {
      return row < permutation.extent(0) ? permutation(row) : row;
    });
    return found;
  }

  void verify(app::Verification& verification, const std::string&,
              const HostNeighbors& lists) const {
    verify_neighbors<Dim>(verification, on_host(this->input_.points), on_host(this->input_.queries),
                          lists);
  }

 private:
  Count k_;
  NeighborLists<MemorySpace> lists_;
  Kokkos::View<LocalIndex*, MemorySpace> row_of_query_;
};

}  // namespace copse::traversal
