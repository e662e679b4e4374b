// ArborX: a bounding volume hierarchy whose leaves are points, built and searched by Kokkos on the
// host's threads or on a backend.
#include "search_on.hpp"

#include <ArborX_LinearBVH.hpp>

namespace copse::peers {
namespace {

template <class MemorySpace>
using Answers = Kokkos::View<LocalIndex*, MemorySpace>;

/// Keeps the rows of a query's neighbours, which the thread of the query reports one by one.
template <class MemorySpace>
struct KeepRows {
  Answers<MemorySpace> rows;
  Kokkos::View<std::uint16_t*, MemorySpace> found;
  Count k;

  template <class Query, class Value>
  KOKKOS_FUNCTION void operator()(const Query& query, const Value& value) const {
    const auto q = static_cast<Count>(ArborX::getData(query));
    if (found(q) < k) rows(q * k + found(q)++) = static_cast<LocalIndex>(value.index);
  }
};

template <class MemorySpace>
struct CountPoints {
  Answers<MemorySpace> counts;

  template <class Query, class Value>
  KOKKOS_FUNCTION void operator()(const Query& query, const Value&) const {
    ++counts(ArborX::getData(query));
  }
};

template <class ExecutionSpace>
class ArborxSearch final : public NeighborSearch {
 public:
  ArborxSearch(const ExecutionSpace& space, bool sorts) : space_(space) {
    policy_.setPredicateSorting(sorts);
  }

  int threads() const override { return space_.concurrency(); }

  void send_points(const std::vector<Point>& points) override { points_ = sent(points); }
  void send_queries(const std::vector<Point>& queries) override { queries_ = sent(queries); }

  void build(const std::vector<Point>&, int) override {
    tree_ = Tree(space_, ArborX::Experimental::attach_indices(points_));
    space_.fence("peer::build");
  }

  void nearest(const std::vector<Point>&, int k, std::vector<LocalIndex>&) const override {
    const Count n = queries_.extent(0), wanted = static_cast<Count>(k);
    resize_without_copy(rows_, "peer::rows", n * wanted);
    resize_without_copy(found_, "peer::found", n);
    Kokkos::deep_copy(space_, found_, std::uint16_t{0});
    search(ArborX::Experimental::make_nearest(queries_, k),
           KeepRows<MemorySpace>{rows_, found_, wanted});
  }
  void fetch_rows(std::vector<LocalIndex>& rows) const override { fetch(rows_, rows); }

  void count(const std::vector<Point>&, Real radius, std::vector<LocalIndex>&) const override {
    resize_without_copy(counts_, "peer::counts", queries_.extent(0));
    Kokkos::deep_copy(space_, counts_, LocalIndex{0});
    search(ArborX::Experimental::make_intersects(queries_, radius),
           CountPoints<MemorySpace>{counts_});
  }
  void fetch_counts(std::vector<LocalIndex>& counts) const override { fetch(counts_, counts); }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using ArborxPoint = ArborX::Point<3, Real>;
  using ArborxPoints = Kokkos::View<ArborxPoint*, MemorySpace>;
  using Tree = ArborX::BoundingVolumeHierarchy<MemorySpace, ArborX::PairValueIndex<ArborxPoint>>;

  static ArborxPoints sent(const std::vector<Point>& points) {
    const ArborxPoints there("peer::points", points.size());
    const auto host = Kokkos::create_mirror_view(there);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (unsigned a = 0; a < 3; ++a) host(i)[a] = points[i][a];
    Kokkos::deep_copy(there, host);
    return there;
  }

  template <class Queries, class Callback>
  void search(const Queries& queries, const Callback& callback) const {
    tree_.query(space_, ArborX::Experimental::attach_indices(queries), callback, policy_);
    space_.fence("peer::search");
  }

  ExecutionSpace space_;
  ArborX::Experimental::TraversalPolicy policy_;
  ArborxPoints points_, queries_;
  Tree tree_;
  mutable Answers<MemorySpace> rows_, counts_;
  mutable Kokkos::View<std::uint16_t*, MemorySpace> found_;
};

using OnHost = ArborxSearch<Kokkos::DefaultHostExecutionSpace>;

}  // namespace

std::unique_ptr<NeighborSearch> make_arborx(std::string_view) {
  return std::make_unique<OnHost>(Kokkos::DefaultHostExecutionSpace{}, true);
}
std::unique_ptr<NeighborSearch> make_arborx_in_order(std::string_view) {
  return std::make_unique<OnHost>(Kokkos::DefaultHostExecutionSpace{}, false);
}
std::unique_ptr<NeighborSearch> make_arborx_backend(std::string_view backend) {
  return search_on<ArborxSearch>(backend, true);
}
std::unique_ptr<NeighborSearch> make_arborx_backend_in_order(std::string_view backend) {
  return search_on<ArborxSearch>(backend, false);
}

}  // namespace copse::peers
