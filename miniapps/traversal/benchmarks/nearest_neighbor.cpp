// The benchmark "nearest-neighbor".
#include "neighbor_benchmark.hpp"

namespace copse::traversal {
namespace {

template <class Space, int Dim>
using NearestInBoxes = NeighborBenchmark<Space, BoxTree<Dim, typename Space::memory_space>, 1>;

}  // namespace

std::unique_ptr<Benchmark> load_nearest_neighbor(app::Session& session, const Request& request) {
  return load_on_points<NearestInBoxes>(session, request);
}

}  // namespace copse::traversal
