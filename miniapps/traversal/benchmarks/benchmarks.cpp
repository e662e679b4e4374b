#include "benchmarks.hpp"

namespace copse::traversal {

const std::vector<BenchmarkInfo>& benchmarks() {
  static const std::vector<BenchmarkInfo> all{
      {"point-correlation", "points within a radius of each query, kd-tree", run_point_correlation},
      {"nearest-neighbor", "the nearest point to each query, kd-tree", run_nearest_neighbor},
      {"knn", "the --neighbors nearest points to each query, kd-tree", run_knn},
      {"ball-tree", "the nearest point to each query, ball tree", run_ball_tree},
      {"vantage-point", "the nearest point to each query, vantage-point tree", run_vantage_point},
      {"barnes-hut", "gravity of all particles on each, octree", run_barnes_hut}};
  return all;
}

std::vector<std::string> benchmark_names() {
  std::vector<std::string> names;
  for (const BenchmarkInfo& info : benchmarks()) names.push_back(info.name);
  return names;
}

}  // namespace copse::traversal
