#include "benchmarks.hpp"

namespace copse::traversal {

using Load = std::unique_ptr<Benchmark>(app::Session&, const Request&);
Load load_point_correlation, load_nearest_neighbor, load_knn, load_ball_tree, load_vantage_point,
    load_barnes_hut;

const std::vector<BenchmarkInfo>& benchmarks() {
  static const std::vector<BenchmarkInfo> all{
      {"point-correlation", "points within a radius of each query, kd-tree",
       load_point_correlation},
      {"nearest-neighbor", "the nearest point to each query, kd-tree", load_nearest_neighbor},
      {"knn", "the --neighbors nearest points to each query, kd-tree", load_knn},
      {"ball-tree", "the nearest point to each query, ball tree", load_ball_tree},
      {"vantage-point", "the nearest point to each query, vantage-point tree", load_vantage_point},
      {"barnes-hut", "gravity of all particles on each, octree", load_barnes_hut}};
  return all;
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const BenchmarkInfo& info : benchmarks()) names.push_back(info.name);
  return names;
}

}  // namespace copse::traversal
