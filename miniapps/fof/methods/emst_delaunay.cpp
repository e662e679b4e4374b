#include "emst_delaunay.hpp"

#include "../mst/spanning_tree.hpp"
#include "delaunay_graph.hpp"
#include <copse/backend/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <cmath>

namespace copse::fof {
namespace {

using Problem = LinkProblem<Kokkos::HostSpace>;

Real distance2(const Problem& problem, LocalIndex i, LocalIndex j) {
  using Host = Kokkos::HostSpace;
  Real sum = problem.friendship.distance2<OneLane>(lane_point<OneLane, 3>(problem.position, i),
                                                   PointAt<3, Host>{problem.position, j});
  if (problem.has_velocity())
    sum = problem.friendship.with_velocity2<OneLane>(
        sum, lane_point<OneLane, 3>(problem.velocity, i), PointAt<3, Host>{problem.velocity, j});
  return sum;
}

}  // namespace

std::vector<TreeEdge> delaunay_spanning_tree(const Problem& problem) {
  for (int a = 0; a < 3; ++a)
    if (std::isfinite(problem.friendship.period[a]))
      throw InputError(
          "the method emst-delaunay does not support periodic boxes: use another method or an "
          "isolated box");
  std::vector<std::array<double, 3>> points(problem.size());
  for (Count i = 0; i < problem.size(); ++i)
    for (int a = 0; a < 3; ++a) points[i][a] = static_cast<double>(problem.position(i, a));
  std::vector<TreeEdge> graph;
  for (const auto& [a, b] : delaunay_edges(points))
    graph.push_back({distance2(problem, a, b), a, b});
  return kruskal(problem.size(), graph);
}

template <class ExecutionSpace>
void EmstDelaunayLinker<ExecutionSpace>::link(const LinkProblem<MemorySpace>& problem,
                                              const LinkOptions&,
                                              const Labels<MemorySpace>& labels) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    const Kokkos::Profiling::ScopedRegion region("copse::fof::link");
    std::vector<TreeEdge> tree = delaunay_spanning_tree(problem);
    cut_tree(ExecutionSpace{}, SpanningTree<MemorySpace>(tree.data(), tree.size()),
             problem.friendship.reach2, labels);
  } else {
    throw InputError("the method emst-delaunay runs on hosts only");
  }
}

#define COPSE_INSTANTIATE(ExecutionSpace) template class EmstDelaunayLinker<ExecutionSpace>;
COPSE_FOR_EACH_BACKEND(COPSE_INSTANTIATE)
#undef COPSE_INSTANTIATE

}  // namespace copse::fof
