// The benchmark "point-correlation": counts the points within a radius of each query.
// correlation.cpp has the correlation function.
#include "point_benchmark.hpp"
#include <copse/traversal/visitors/range_count.hpp>

#include <numeric>

namespace copse::traversal {
namespace {

template <class ExecutionSpace, int Dim>
class PointCorrelation
    : public PointBenchmark<ExecutionSpace, BoxTree<Dim, typename ExecutionSpace::memory_space>> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  PointCorrelation(const ExecutionSpace& space, const PointInput<Dim, MemorySpace>& input,
                   const Request& request)
      : PointBenchmark<ExecutionSpace, BoxTree<Dim, MemorySpace>>(space, input, request),
        counts_("copse::traversal::counts", input.queries.extent(0)),
        radius_(request.radius_in(bounding_box(space, input.points).volume(),
                                  input.points.extent(0))) {}

  RangeCount<Dim, MemorySpace> visitor() const {
    return {this->tree_, this->input_.queries, counts_, radius2()};
  }

  void clear() const { Kokkos::deep_copy(counts_, ~std::uint32_t{0}); }
  HostCounts results() const { return on_host(counts_); }

  void verify(app::Verification& verification, const std::string&, const HostCounts& counts) const {
    verify_counts<Dim>(verification, on_host(this->input_.points), on_host(this->input_.queries),
                       counts, radius2());
  }

  void report(app::Session& session) const {
    const auto counts = on_host(counts_);
    const double sum = std::accumulate(counts.data(), counts.data() + counts.extent(0), 0.0);
    const double mean = sum / static_cast<double>(std::max<Count>(counts.extent(0), 1));
    session.report().results()["radius"] = radius_;
    session.report().results()["mean_count"] = mean;
    session.print(fmt::format("{:.2f} points on average within {:.6g}", mean, radius_));
  }

 private:
  Real radius2() const { return static_cast<Real>(radius_) * static_cast<Real>(radius_); }

  Kokkos::View<std::uint32_t*, MemorySpace> counts_;
  double radius_;
};

}  // namespace

std::unique_ptr<Benchmark> load_point_correlation(app::Session& session, const Request& request) {
  if (request.correlation) return load_correlation(session, request);
  return load_on_points<PointCorrelation>(session, request);
}

}  // namespace copse::traversal
