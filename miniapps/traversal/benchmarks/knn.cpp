// The benchmark "knn".
#include "benchmarks.hpp"
#include "neighbor_benchmark.hpp"

namespace copse::traversal {

void run_knn(app::Session& session, const Request& request) {
  // Room in steps: lists in registers must have a length that the compiler knows.
  if (request.neighbors <= 8)
    return run_neighbors<BuildBoxTree, 8>(session, request, request.neighbors);
  run_neighbors<BuildBoxTree, 32>(session, request, request.neighbors);
}

}  // namespace copse::traversal
