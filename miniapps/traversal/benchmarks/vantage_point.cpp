// The benchmark "vantage-point".
#include "benchmarks.hpp"
#include "neighbor_benchmark.hpp"

namespace copse::traversal {

void run_vantage_point(app::Session& session, const Request& request) {
  run_neighbors<BuildVantageTree, 1>(session, request, 1);
}

}  // namespace copse::traversal
