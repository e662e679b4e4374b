// ArborX: the spanning tree by Boruvka's algorithm on a bounding volume hierarchy.
#include "arborx_points.hpp"
#include "finder_on.hpp"
#include <copse/algorithms/union_find.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <ArborX_MinimumSpanningTree.hpp>

namespace copse::peers {
namespace {

using ArborX::Experimental::MinimumSpanningTree;

/// Joins the ends of an edge below the linking length.
template <class MemorySpace>
struct JoinEnds {
  decltype(MinimumSpanningTree<MemorySpace>::edges) edges;
  UnionFind<MemorySpace> sets;
  Real length;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const auto edge = edges(i);
    if (edge.weight < length)
      sets.unite(static_cast<LocalIndex>(edge.source), static_cast<LocalIndex>(edge.target));
  }
};

template <class ExecutionSpace>
class ArborxTree final : public GroupFinder {
 public:
  ArborxTree(const ExecutionSpace& space, const ClearProblem& problem, std::string region)
      : space_(space),
        length_(problem.length),
        region_(std::move(region)),
        points_(arborx_points<MemorySpace>(problem)),
        labels_("peer::labels", points_.extent(0)) {}

  void find() override {
    const Kokkos::Profiling::ScopedRegion region(region_);
    // ArborX refuses to make a tree of one point.
    if (points_.extent(0) > 1) edges_ = MinimumSpanningTree<MemorySpace>(space_, points_).edges;
    const UnionFind<MemorySpace> sets{labels_};
    make_singletons(space_, sets);
    Kokkos::parallel_for("peer::join_ends", CountRange<ExecutionSpace>(space_, 0, edges_.extent(0)),
                         JoinEnds<MemorySpace>{edges_, sets, length_});
    flatten_sets(space_, sets);
    space_.fence("peer::tree");
  }

  GroupNames names() const override { return names_of(labels_); }

  TreeEdges tree() const override {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, edges_);
    TreeEdges edges;
    for (Count i = 0; i < host.extent(0); ++i)
      edges.push_back(
          {static_cast<LocalIndex>(host(i).source), static_cast<LocalIndex>(host(i).target)});
    return edges;
  }

 private:
  using MemorySpace = typename ExecutionSpace::memory_space;

  ExecutionSpace space_;
  Real length_;
  std::string region_;
  ArborxPoints<MemorySpace> points_;
  decltype(MinimumSpanningTree<MemorySpace>::edges) edges_;
  decltype(UnionFind<MemorySpace>::parent) labels_;
};

}  // namespace

std::unique_ptr<GroupFinder> make_arborx_tree(const std::string& backend,
                                              const ClearProblem& problem,
                                              const std::string& region) {
  return finder_on<ArborxTree>(backend, problem, region);
}

}  // namespace copse::peers
