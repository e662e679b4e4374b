// ArborX: a bounding volume hierarchy whose leaves are points, built and searched by Kokkos on the
// host's threads.
#include "neighbor_search.hpp"

#include <Kokkos_Core.hpp>

#include <ArborX_LinearBVH.hpp>

namespace copse::peers {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Memory = Kokkos::HostSpace;
using ArborxPoint = ArborX::Point<3, Real>;
using ArborxPoints = Kokkos::View<ArborxPoint*, Memory, Kokkos::MemoryUnmanaged>;

/// The points as ArborX's: both are three coordinates in a row. Its spheres need a view of points
/// that are not const, but a search does not write to them.
ArborxPoints view_of(const std::vector<Point>& points) {
  static_assert(sizeof(ArborxPoint) == sizeof(Point));
  auto* first = reinterpret_cast<ArborxPoint*>(const_cast<Point*>(points.data()));
  return ArborxPoints(first, points.size());
}

/// Keeps the rows of a query's neighbours, which the thread of the query reports one by one.
struct KeepRows {
  LocalIndex* rows;
  std::uint16_t* found;
  std::size_t k;

  template <class Query, class Value>
  KOKKOS_FUNCTION void operator()(const Query& query, const Value& value) const {
    const auto q = static_cast<std::size_t>(ArborX::getData(query));
    if (found[q] < k) rows[q * k + found[q]++] = static_cast<LocalIndex>(value.index);
  }
};

struct CountPoints {
  LocalIndex* counts;

  template <class Query, class Value>
  KOKKOS_FUNCTION void operator()(const Query& query, const Value&) const {
    ++counts[ArborX::getData(query)];
  }
};

class ArborxSearch final : public NeighborSearch {
 public:
  explicit ArborxSearch(bool sorts) { policy_.setPredicateSorting(sorts); }

  void build(const std::vector<Point>& points, int) override {
    tree_ = Tree(space_, ArborX::Experimental::attach_indices(view_of(points)));
    space_.fence("peer::build");
  }

  void nearest(const std::vector<Point>& queries, int k,
               std::vector<LocalIndex>& rows) const override {
    std::vector<std::uint16_t> found(queries.size(), 0);
    search(ArborX::Experimental::make_nearest(view_of(queries), k),
           KeepRows{rows.data(), found.data(), static_cast<std::size_t>(k)});
  }

  void count(const std::vector<Point>& queries, Real radius,
             std::vector<LocalIndex>& counts) const override {
    std::fill(counts.begin(), counts.end(), LocalIndex{0});
    search(ArborX::Experimental::make_intersects(view_of(queries), radius),
           CountPoints{counts.data()});
  }

 private:
  using Tree = ArborX::BoundingVolumeHierarchy<Memory, ArborX::PairValueIndex<ArborxPoint>>;

  template <class Queries, class Callback>
  void search(const Queries& queries, const Callback& callback) const {
    tree_.query(space_, ArborX::Experimental::attach_indices(queries), callback, policy_);
    space_.fence("peer::search");
  }

  Space space_;
  ArborX::Experimental::TraversalPolicy policy_;
  Tree tree_;
};

}  // namespace

std::unique_ptr<NeighborSearch> make_arborx() {
  return std::make_unique<ArborxSearch>(true);
}
std::unique_ptr<NeighborSearch> make_arborx_in_order() {
  return std::make_unique<ArborxSearch>(false);
}

}  // namespace copse::peers
