// The benchmark "knn".
#include "neighbor_benchmark.hpp"

namespace copse::traversal {
namespace {

template <class Space, int Dim>
using UpTo8 = NeighborBenchmark<Space, BoxTree<Dim, typename Space::memory_space>, 8>;
template <class Space, int Dim>
using UpTo16 = NeighborBenchmark<Space, BoxTree<Dim, typename Space::memory_space>, 16>;
template <class Space, int Dim>
using UpTo32 = NeighborBenchmark<Space, BoxTree<Dim, typename Space::memory_space>, 32>;

}  // namespace

std::unique_ptr<Benchmark> load_knn(app::Session& session, const Request& request) {
  // Capacities come in steps, because they are compile-time constants.
  if (request.neighbors <= 8) return load_on_points<UpTo8>(session, request);
  if (request.neighbors <= 16) return load_on_points<UpTo16>(session, request);
  return load_on_points<UpTo32>(session, request);
}

}  // namespace copse::traversal
