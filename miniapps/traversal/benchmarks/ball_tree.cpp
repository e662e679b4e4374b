// The benchmark "ball-tree".
#include "benchmarks.hpp"
#include "neighbor_benchmark.hpp"

namespace copse::traversal {

void run_ball_tree(app::Session& session, const Request& request) {
  run_neighbors<BuildBallTree, 1>(session, request, 1);
}

}  // namespace copse::traversal
