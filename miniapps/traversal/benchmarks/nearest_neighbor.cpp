// The benchmark "nearest-neighbor".
#include "benchmarks.hpp"
#include "neighbor_benchmark.hpp"

namespace copse::traversal {

void run_nearest_neighbor(app::Session& session, const Request& request) {
  run_neighbors<BuildBoxTree, 1>(session, request, 1);
}

}  // namespace copse::traversal
