#include "delaunay_graph.hpp"

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>
#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <iterator>
#include <numeric>
#include <utility>

namespace copse::fof {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Vertex = CGAL::Triangulation_vertex_base_with_info_3<LocalIndex, Kernel>;
using Triangulation =
    CGAL::Delaunay_triangulation_3<Kernel, CGAL::Triangulation_data_structure_3<Vertex>>;

std::array<LocalIndex, 2> ascending(LocalIndex a, LocalIndex b) {
  return a < b ? std::array{a, b} : std::array{b, a};
}

/// Edges and weights in one array. An adjacency_list would take two pointer dereferences per
/// weight, at every comparison of the queue.
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, TreeEdge>;

}  // namespace

bool has_delaunay() {
  return true;
}

std::vector<std::array<LocalIndex, 2>> delaunay_edges(
    const std::vector<std::array<double, 3>>& points) {
  std::vector<LocalIndex> rows(points.size());
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](LocalIndex a, LocalIndex b) { return points[a] < points[b]; });

  std::vector<std::array<LocalIndex, 2>> edges;
  std::vector<std::pair<Kernel::Point_3, LocalIndex>> places;
  LocalIndex first = 0;  // first particle at the current position
  for (const LocalIndex row : rows) {
    const auto& x = points[row];
    if (!places.empty() && points[first] == x) {
      edges.push_back(ascending(first, row));
      continue;
    }
    first = row;
    places.emplace_back(Kernel::Point_3(x[0], x[1], x[2]), row);
  }

  const Triangulation triangulation(places.begin(), places.end());
  for (auto edge = triangulation.finite_edges_begin(); edge != triangulation.finite_edges_end();
       ++edge) {
    const auto& [cell, i, j] = *edge;
    edges.push_back(ascending(cell->vertex(i)->info(), cell->vertex(j)->info()));
  }
  return edges;
}

std::vector<TreeEdge> kruskal(Count n, const std::vector<TreeEdge>& edges) {
  std::vector<std::pair<LocalIndex, LocalIndex>> ends;
  ends.reserve(edges.size());
  for (const TreeEdge& edge : edges) ends.emplace_back(edge.a, edge.b);
  const Graph graph(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), edges.begin(),
                    n);
  // The edge itself is the weight, so ties of distance are broken as in all other methods.
  const auto weights = get(boost::edge_bundle, graph);
  std::vector<boost::graph_traits<Graph>::edge_descriptor> found;
  boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(found),
                                       boost::weight_map(weights));
  std::vector<TreeEdge> tree;
  tree.reserve(found.size());
  for (const auto& edge : found) tree.push_back(weights[edge]);
  return tree;
}

}  // namespace copse::fof
