// Copse on a backend: a tree of boxes, walked by packets of queries. On a device the points are
// sorted along a curve, as in `traversal`; on a host they form a kd-tree.
//
// Queries are either sorted along a curve, coarsely, as part of the search, or taken in the given
// order. On a device sorted queries walk as groups; all other queries take the usual walk.
#include "search_on.hpp"
#include <copse/algorithms/space_filling_curve.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/balanced_builder.hpp>

namespace copse::peers {
namespace {

/// Rows of the tree that were found, as rows of the points, those of a query side by side.
template <class MemorySpace>
struct NameRows {
  Kokkos::View<LocalIndex**, Kokkos::LayoutRight, MemorySpace> found;
  Kokkos::View<const LocalIndex*, MemorySpace> permutation;
  Kokkos::View<LocalIndex*, MemorySpace> rows;

  KOKKOS_FUNCTION void operator()(Count q) const {
    const Count k = found.extent(1);
    for (Count j = 0; j < k; ++j) rows(q * k + j) = permutation(found(q, j));
  }
};

template <class ExecutionSpace>
class CopseBackendSearch final : public NeighborSearch {
 public:
  CopseBackendSearch(const ExecutionSpace& space, bool sorts)
      : space_(space), sorts_(sorts), builder_(space) {}

  int threads() const override { return space_.concurrency(); }

  void send_points(const std::vector<Point>& points) override { points_ = sent(points); }
  void send_queries(const std::vector<Point>& queries) override { queries_ = sent(queries); }

  void build(const std::vector<Point>&, int leaf_points) override {
    const BalancedOptions options{.bucket_size = static_cast<std::uint32_t>(leaf_points)};
    if constexpr (runs_on_host<ExecutionSpace>) {
      tree_ = builder_.kd_tree(points_, options);
    } else {
      tree_ = builder_.curve_tree(points_, Curve::hilbert, options, std::move(tree_));
    }
    space_.fence("peer::build");
  }

  void nearest(const std::vector<Point>&, int k, std::vector<LocalIndex>&) const override {
    if (k == 1) return nearest_of<1>(k);
    if (k <= 8) return nearest_of<8>(k);
    nearest_of<copse_most_neighbors>(k);
  }
  void fetch_rows(std::vector<LocalIndex>& rows) const override { fetch(rows_, rows); }

  void count(const std::vector<Point>&, Real radius, std::vector<LocalIndex>&) const override {
    resize_without_copy(counts_, "peer::counts", queries_.extent(0));
    walk(space_, kind(), RangeCount<3, MemorySpace>{tree_, queries_, counts_, radius * radius},
         ordered());
    space_.fence("peer::search");
  }
  void fetch_counts(std::vector<LocalIndex>& counts) const override { fetch(counts_, counts); }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Tree = BoxTree<3, MemorySpace>;
  using PointSet = Points<3, MemorySpace>;

  static PointSet sent(const std::vector<Point>& points) {
    const PointSet there("peer::points", points.size());
    const auto host = Kokkos::create_mirror_view(there);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a) host(i, a) = points[i][a];
    Kokkos::deep_copy(there, host);
    return there;
  }

  /// On a device the walk that `traversal` takes for queries from elsewhere; on a host always the
  /// usual one.
  WalkKind kind() const {
    if (!runs_on_host<ExecutionSpace> && sorts_) return WalkKind::group;
    return usual_walk(!runs_on_host<ExecutionSpace>);
  }

  QueryList<MemorySpace> ordered() const {
    const Count n = queries_.extent(0);
    if (!sorts_ || n == 0) return {n, {}};
    const Kokkos::View<LocalIndex*, MemorySpace> order(
        workspace_.template get<LocalIndex>("peer::order", n).data(), n);
    const auto keys = workspace_.template get<std::uint64_t>("peer::curve_keys", n);
    curve_order<3>(space_, queries_, bounding_box(space_, queries_), Curve::hilbert, keys, order,
                   workspace_, coarse_curve_levels<3>);
    return {n, order};
  }

  template <int K>
  void nearest_of(int k) const {
    const Count n = queries_.extent(0), wanted = static_cast<Count>(k);
    if (lists_.rows.extent(0) != n || lists_.rows.extent(1) != wanted) {
      Kokkos::realloc(Kokkos::WithoutInitializing, lists_.rows, n, wanted);
      Kokkos::realloc(Kokkos::WithoutInitializing, lists_.distance2, n, wanted);
    }
    resize_without_copy(rows_, "peer::rows", n * wanted);
    walk(space_, kind(), NearestNeighbors<K, Tree>{tree_, queries_, lists_}, ordered());
    Kokkos::parallel_for("peer::name_rows", CountRange<ExecutionSpace>(space_, 0, n),
                         NameRows<MemorySpace>{lists_.rows, tree_.permutation, rows_});
    space_.fence("peer::search");
  }

  ExecutionSpace space_;
  bool sorts_;
  BalancedTreeBuilder<ExecutionSpace, 3> builder_;
  PointSet points_, queries_;
  Tree tree_;
  mutable Workspace<MemorySpace> workspace_;
  mutable NeighborLists<MemorySpace> lists_;
  mutable Kokkos::View<LocalIndex*, MemorySpace> rows_;
  mutable Kokkos::View<std::uint32_t*, MemorySpace> counts_;
};

}  // namespace

std::unique_ptr<NeighborSearch> make_copse_backend(std::string_view backend) {
  return search_on<CopseBackendSearch>(backend, true);
}
std::unique_ptr<NeighborSearch> make_copse_backend_in_order(std::string_view backend) {
  return search_on<CopseBackendSearch>(backend, false);
}

}  // namespace copse::peers
