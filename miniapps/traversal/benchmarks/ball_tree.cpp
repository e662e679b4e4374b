// The benchmark "ball-tree".
#include "neighbor_benchmark.hpp"

namespace copse::traversal {
namespace {

template <class Space, int Dim>
using NearestInBalls = NeighborBenchmark<Space, BallTree<Dim, typename Space::memory_space>, 1>;

}  // namespace

std::unique_ptr<Benchmark> load_ball_tree(app::Session& session, const Request& request) {
  return load_on_points<NearestInBalls>(session, request);
}

}  // namespace copse::traversal
