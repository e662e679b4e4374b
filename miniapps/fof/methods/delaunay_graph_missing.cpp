#include "delaunay_graph.hpp"
#include <copse/backend/error.hpp>

namespace copse::fof {
namespace {

[[noreturn]] void refuse() {
  throw InputError(
      "the method emst-delaunay needs CGAL and Boost.Graph, which this build lacks (CMake variable "
      "COPSE_ENABLE_CGAL)");
}

}  // namespace

bool has_delaunay() {
  return false;
}

std::vector<std::array<LocalIndex, 2>> delaunay_edges(const std::vector<std::array<double, 3>>&) {
  refuse();
}

std::vector<TreeEdge> kruskal(Count, const std::vector<TreeEdge>&) {
  refuse();
}

}  // namespace copse::fof
