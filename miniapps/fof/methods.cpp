#include "methods.hpp"

namespace copse::fof {

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all{
      {"leaf-pairs", "leaves along a Hilbert curve meet the leaves that are near; the default",
       true, 52.0},
      {"kd-tree", "a range query for each particle in a kd-tree (the thesis)", true, 56.0},
      {"brute-force", "all pairs, in tiles (the thesis)", false, 4.0},
      {"emst-boruvka", "Euclidean minimum spanning tree by Boruvka's rounds, cut at the link",
       false, 72.0},
      {"emst-delaunay", "spanning tree of a Delaunay triangulation (the thesis); hosts, isolated",
       false, 800.0}};
  return all;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.emplace_back(info.name);
  return names;
}

std::vector<std::string> exact_method_names() {
  std::vector<std::string> names = method_names();
  std::erase(names, "emst-delaunay");
  return names;
}

const MethodInfo& method_named(const std::string& name) {
  for (const MethodInfo& info : methods())
    if (name == info.name) return info;
  throw InputError("there is no method '" + name + "'");
}

}  // namespace copse::fof
