// The benchmark "point-correlation": counts the points within a radius of each query.
// correlation.cpp has the correlation function.
#include "point_benchmark.hpp"
#include <copse/backend/error.hpp>
#include <copse/traversal/visitors/range_count.hpp>

#include <cmath>
#include <numbers>

namespace copse::traversal {
namespace {

/// Volume of the unit ball.
double ball_volume(int dimension) {
  const double half = 0.5 * dimension;
  return std::pow(std::numbers::pi, half) / std::tgamma(half + 1.0);
}

template <class ExecutionSpace, int Dim>
class PointCorrelation
    : public PointBenchmark<ExecutionSpace, BoxTree<Dim, typename ExecutionSpace::memory_space>> {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  PointCorrelation(const ExecutionSpace& space, const PointInput<Dim, MemorySpace>& input,
                   const Request& request)
      : PointBenchmark<ExecutionSpace, BoxTree<Dim, MemorySpace>>(space, input, request),
        counts_("copse::traversal::counts", input.queries.extent(0)),
        radius_(request.radius ? *request.radius : radius_for(request.mean_neighbors)) {}

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
    double sum = 0;
    for (Count q = 0; q < counts.extent(0); ++q) sum += counts(q);
    const double mean = sum / static_cast<double>(std::max<Count>(counts.extent(0), 1));
    session.report().results()["radius"] = radius_;
    session.report().results()["mean_count"] = mean;
    session.print(fmt::format("{:.2f} points on average within {:.6g}", mean, radius_));
  }

 private:
  Real radius2() const { return static_cast<Real>(radius_) * static_cast<Real>(radius_); }

  /// The radius that gives this mean count if points are uniform in their box.
  double radius_for(double neighbors) const {
    const auto box = bounding_box(this->space_, this->input_.points);
    if (!(box.volume() > 0))
      throw InputError(
          "the bounding box of the points has no volume, so --mean-neighbors gives no radius: give "
          "--radius");
    const double density = static_cast<double>(this->input_.points.extent(0)) / box.volume();
    return std::pow(neighbors / (density * ball_volume(Dim)), 1.0 / Dim);
  }

  Kokkos::View<std::uint32_t*, MemorySpace> counts_;
  double radius_;
};

}  // namespace

std::unique_ptr<Benchmark> load_point_correlation(app::Session& session, const Request& request) {
  if (request.correlation) return load_correlation(session, request);
  return load_on_points<PointCorrelation>(session, request);
}

}  // namespace copse::traversal
