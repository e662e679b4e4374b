// The benchmark "vantage-point".
#include "neighbor_benchmark.hpp"

namespace copse::traversal {
namespace {

template <class Space, int Dim>
using NearestInShells = NeighborBenchmark<Space, ShellTree<Dim, typename Space::memory_space>, 1>;

}  // namespace

std::unique_ptr<Benchmark> load_vantage_point(app::Session& session, const Request& request) {
  return load_on_points<NearestInShells>(session, request);
}

}  // namespace copse::traversal
