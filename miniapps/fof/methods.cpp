#include "methods.hpp"

#include <copse/app/choices.hpp>
#include <copse/backend/lanes.hpp>

namespace copse::fof {

namespace {
/// Velocities reuse the memory of the Hilbert keys, 8 bytes per particle.
constexpr double reals_beyond_keys = 3.0 - 8.0 / sizeof(Real);
}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"leaf-pairs", "pairs of near leaves, in the order of a Hilbert curve (the default)", true,
       28, 3, reals_beyond_keys, 24.5, vector_lanes, false},
      {"kd-tree", "a range query for each particle in a kd-tree (the thesis)", true, 20, 6, 3, 80,
       16, true},
      {"brute-force", "all pairs, in tiles (the thesis)", false, 4, 0, 0, 0, 0, false},
      {"emst-boruvka",
       "Euclidean minimum spanning tree by Boruvka rounds, cut at the linking length", false, 56, 3,
       3, 28, 16, false},
      {"emst-delaunay",
       "spanning tree of a Delaunay triangulation (the thesis); hosts, isolated boxes", false, 800,
       0, 0, 0, 0, false}};
  return all;
}

std::vector<std::string> method_names() {
  return app::names_of(methods());
}

std::vector<std::string> exact_method_names() {
  std::vector<std::string> names = method_names();
  std::erase(names, "emst-delaunay");
  return names;
}

const MethodInfo& method_named(const std::string& name) {
  return app::entry_named(methods(), "method", name);
}

}  // namespace copse::fof
