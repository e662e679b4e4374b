// Copse: a kd-tree traversed by packets of 16 queries, the SIMD lanes of a vector.
//
// Consecutive queries form a packet, so they should be close in space. The scheduled searches do
// not require that: they sort the queries by the leaf nearest to each and process them in that
// order; all of this counts as part of the search.
#include "neighbor_search.hpp"
#include <copse/traversal/make_schedule.hpp>
#include <copse/traversal/visitors/nearest_neighbors.hpp>
#include <copse/traversal/visitors/range_count.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <Kokkos_Core.hpp>

namespace copse::peers {
namespace {

template <class Space, bool Scheduled>
class CopseSearch final : public NeighborSearch {
 public:
  CopseSearch() : builder_(space_), scheduler_(space_) {}

  int threads() const override { return space_.concurrency(); }

  void build(const std::vector<Point>& points, int leaf_points) override {
    tree_ = {};
    tree_ =
        builder_.kd_tree(columns(points), {.bucket_size = static_cast<std::uint32_t>(leaf_points)});
    space_.fence();
  }

  void nearest(const std::vector<Point>& queries, int k,
               std::vector<LocalIndex>& rows) const override {
    if (k == 1) return nearest_of<1>(queries, k, rows);
    if (k <= 8) return nearest_of<8>(queries, k, rows);
    nearest_of<copse_most_neighbors>(queries, k, rows);
  }

  void count(const std::vector<Point>& queries, Real radius,
             std::vector<LocalIndex>& counts) const override {
    const auto x = columns(queries);
    const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> view(counts.data(), counts.size());
    walk(space_, usual_walk(false),
         RangeCount<3, Kokkos::HostSpace>{tree_, x, view, radius * radius}, in_order(x));
    space_.fence();
  }

 private:
  using Tree = BoxTree<3, Kokkos::HostSpace>;
  using PointSet = Points<3, Kokkos::HostSpace>;

  /// Copies the points to the suite's layout, one column per axis.
  PointSet columns(const std::vector<Point>& points) const {
    const PointSet x(Kokkos::view_alloc("copse::peers::points", Kokkos::WithoutInitializing),
                     points.size());
    Kokkos::parallel_for("copse::peers::columns",
                         Kokkos::RangePolicy<Space>(space_, 0, points.size()), [&](Count i) {
                           for (int a = 0; a < 3; ++a)
                             x(i, a) = points[i][static_cast<std::size_t>(a)];
                         });
    space_.fence();
    return x;
  }

  QueryList<Kokkos::HostSpace> in_order(const PointSet& x) const {
    const Count n = x.extent(0);
    if constexpr (Scheduled) {
      // Lists for one neighbour: with lists for none, the walk would search nothing. Nothing is
      // written.
      const NeighborLists<Kokkos::HostSpace> one{{"copse::peers::rows", 0, 1},
                                                 {"copse::peers::distance2", 0, 1}};
      const NearestNeighbors<1, Tree> to_nearest_leaf{tree_, x, one};
      return {n, scheduler_.by_first_leaf(to_nearest_leaf, top_of(tree_, tree_.levels), n)};
    } else {
      return {n, {}};
    }
  }

  template <int K>
  void nearest_of(const std::vector<Point>& queries, int k, std::vector<LocalIndex>& rows) const {
    const Count n = queries.size();
    const Count columns_wanted = static_cast<Count>(k);
    const auto x = columns(queries);
    if (lists_.rows.extent(0) != n || lists_.rows.extent(1) != columns_wanted) {
      Kokkos::realloc(Kokkos::WithoutInitializing, lists_.rows, n, columns_wanted);
      Kokkos::realloc(Kokkos::WithoutInitializing, lists_.distance2, n, columns_wanted);
    }
    walk(space_, usual_walk(false), NearestNeighbors<K, Tree>{tree_, x, lists_}, in_order(x));
    Kokkos::parallel_for("copse::peers::rows", Kokkos::RangePolicy<Space>(space_, 0, n),
                         [&](Count q) {
                           for (Count j = 0; j < columns_wanted; ++j)
                             rows[q * columns_wanted + j] = tree_.permutation(lists_.rows(q, j));
                         });
    space_.fence();
  }

  Space space_;
  BalancedTreeBuilder<Space, 3> builder_;
  Tree tree_;
  mutable Scheduler<Space> scheduler_;
  mutable NeighborLists<Kokkos::HostSpace> lists_;
};

using Threads = Kokkos::DefaultHostExecutionSpace;

}  // namespace

std::unique_ptr<NeighborSearch> make_copse_serial(std::string_view) {
  return std::make_unique<CopseSearch<Kokkos::Serial, false>>();
}
std::unique_ptr<NeighborSearch> make_copse_threads(std::string_view) {
  return std::make_unique<CopseSearch<Threads, false>>();
}
std::unique_ptr<NeighborSearch> make_copse_serial_scheduled(std::string_view) {
  return std::make_unique<CopseSearch<Kokkos::Serial, true>>();
}
std::unique_ptr<NeighborSearch> make_copse_threads_scheduled(std::string_view) {
  return std::make_unique<CopseSearch<Threads, true>>();
}

}  // namespace copse::peers
