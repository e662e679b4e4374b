// point-correlation with --correlation: the two-point correlation function of the data, from its
// pairs, those with random points and those of the random points (traversal/correlation.hpp).
#include "../input.hpp"
#include "../run_benchmark.hpp"
#include "benchmarks.hpp"
#include "box_tree.hpp"
#include "pair_benchmark.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/uniform_points.hpp>
#include <copse/traversal/correlation.hpp>

#include <cmath>

namespace copse::traversal {
namespace {

/// From the unit cube into a box. Fused, so that every backend rounds once.
template <int Dim, class MemorySpace>
struct StretchToBox {
  Points<Dim, MemorySpace> points;
  Box<Dim> box;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    for (int a = 0; a < Dim; ++a)
      points(i, a) =
          Kokkos::min(Kokkos::fma(points(i, a), box.extent(a), box.lower[a]), box.upper[a]);
  }
};

/// Points that fill the box evenly. Their seed is the complement of the data's: with the same one
/// uniform data would be its own random points.
template <int Dim, class ExecutionSpace>
auto random_catalogue(const ExecutionSpace& space, std::uint64_t seed, Count n,
                      const Box<Dim>& box) {
  const auto points = uniform_points<Dim>(space, ~seed, 0, n);
  Kokkos::parallel_for("copse::traversal::random_catalogue",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
                       StretchToBox<Dim, typename ExecutionSpace::memory_space>{points, box});
  space.fence("copse::traversal::random_catalogue");
  return points;
}

/// The region of the survey: --box, or else the bounding box of the data.
template <int Dim>
Box<Dim> region_of(const app::Session& session, const Box<Dim>& bounds) {
  Box<Dim> region = bounds;
  if constexpr (Dim == 3) {
    if (session.options().box) region = *session.options().box;
  }
  if (!region.contains(bounds.lower) || !region.contains(bounds.upper))
    throw InputError("--box does not hold all points, so no random points can stand beside them");
  if (!(region.volume() > 0))
    throw InputError("the points fill no volume, so no random points can stand beside them");
  return region;
}

template <int Dim>
double shortest_side(const Box<Dim>& box) {
  double side = box.extent(0);
  for (int a = 1; a < Dim; ++a) side = std::min<double>(side, box.extent(a));
  return side;
}

void report_correlation(app::Session& session, const std::vector<Real>& edges,
                        const SeparationCounts& pairs) {
  const auto correlation = landy_szalay(pairs);
  app::Table table({"from", "to", "data-data", "data-random", "random-random", "xi", "+-"});
  auto& bins = session.report().results()["correlation"];
  bins = nlohmann::json::array();
  for (std::size_t b = 0; b < correlation.size(); ++b) {
    const auto& [xi, error] = correlation[b];
    const bool known = std::isfinite(xi);
    table.add_row({fmt::format("{:.4g}", edges[b]), fmt::format("{:.4g}", edges[b + 1]),
                   fmt::format("{}", pairs.data_data[b]), fmt::format("{}", pairs.data_random[b]),
                   fmt::format("{}", pairs.random_random[b]),
                   known ? fmt::format("{:.4g}", xi) : "-",
                   known ? fmt::format("{:.2g}", error) : "-"});
    bins.push_back({{"from", edges[b]},
                    {"to", edges[b + 1]},
                    {"data_data", pairs.data_data[b]},
                    {"data_random", pairs.data_random[b]},
                    {"random_random", pairs.random_random[b]},
                    {"xi", xi},
                    {"error", error}});
  }
  session.report().results()["data_points"] = pairs.data;
  session.report().results()["random_points"] = pairs.random;
  session.print(fmt::format("pairs of {} points and {} random points, each pair once", pairs.data,
                            pairs.random));
  session.print(table);
}

template <class ExecutionSpace, int Dim>
class CorrelationRun {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  CorrelationRun(app::Session& session, const ExecutionSpace& space, const Request& request)
      : session_(session), space_(space), request_(request), builder_(space) {
    data_.points = load_input<Dim>(session, space, request).points;
    const Count n = data_.points.extent(0);
    if (n < 2) throw InputError("--correlation needs at least two points");
    const Box<Dim> region = region_of(session, bounding_box(space, data_.points));
    edges_ = separation_edges(*request.correlation, shortest_side(region) / 20);
    random_.points = random_catalogue(space, session.options().seed,
                                      random_points(n, request.correlation->random_factor), region);
  }

  void run() {
    const auto build = session_.measure("copse::traversal::build", [&](int) {
      for (Catalogue<Dim, MemorySpace>* set : {&data_, &random_})
        set->tree = build_box_tree(builder_, set->points, request_);
    });
    const Count data = data_.points.extent(0);
    const Count random = random_.points.extent(0);
    SeparationCounts pairs{data, random, {}, {}, {}};
    pairs.data_data = pairs_once(count("data_data", data_, data_), edges_, data);
    // Who are fewer, walk.
    pairs.data_random = count("data_random", data_, random_);
    pairs.random_random = pairs_once(count("random_random", random_, random_), edges_, random);
    report_configurations(session_, measured_, build.median(), 2 * data + random);
    report_correlation(session_, edges_, pairs);
  }

 private:
  std::vector<Count> count(const std::string& name, const Catalogue<Dim, MemorySpace>& queries,
                           const Catalogue<Dim, MemorySpace>& set) {
    using Benchmark = PairBenchmark<ExecutionSpace, Dim>;
    Benchmark benchmark(space_, name, queries, set, edges_, request_);
    const auto measured = BenchmarkRun<ExecutionSpace, Benchmark>(
                              session_, space_, request_, benchmark, benchmark.queries(), name)
                              .measure_all();
    if (measured_.empty())
      measured_ = measured;
    else
      for (std::size_t m = 0; m < measured.size(); ++m) measured_[m].add(measured[m]);
    if (session_.options().verify) {
      session_.report().results()["checked_queries"][name] = benchmark.checked();
      session_.print(fmt::format("{}: {} of {} queries held against all points", name,
                                 benchmark.checked(), benchmark.queries()));
    }
    return benchmark.pairs();
  }

  app::Session& session_;
  ExecutionSpace space_;
  const Request& request_;
  BalancedTreeBuilder<ExecutionSpace, Dim> builder_;
  Catalogue<Dim, MemorySpace> data_;
  Catalogue<Dim, MemorySpace> random_;
  std::vector<Real> edges_;
  std::vector<Measured> measured_;  ///< each configuration, its three walks added up
};

}  // namespace

void run_correlation(app::Session& session, const Request& request) {
  dispatch_backend(session.options().backend, [&]<class Space>(const Space& space) {
    dispatch_dimension(request.dimension, [&](auto dim) {
      CorrelationRun<Space, dim()>(session, space, request).run();
    });
  });
}

}  // namespace copse::traversal
