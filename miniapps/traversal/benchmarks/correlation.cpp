// point-correlation with --correlation: the two-point correlation function of the data, from the
// pair counts data-data, data-random and random-random (traversal/correlation.hpp).
#include "pair_benchmark.hpp"
#include "point_benchmark.hpp"
#include <copse/app/table.hpp>
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/particles/bounding_box.hpp>
#include <copse/particles/uniform_points.hpp>
#include <copse/traversal/correlation.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace copse::traversal {
namespace {

/// Random points uniform in the box. Their seed is the complement of the data's; the same seed
/// would reproduce uniform data. Uses fma so that all backends round identically.
template <int Dim, class ExecutionSpace>
Points<Dim, typename ExecutionSpace::memory_space> random_catalogue(const ExecutionSpace& space,
                                                                    std::uint64_t seed, Count n,
                                                                    const Box<Dim>& box) {
  const auto points = uniform_points<Dim>(space, ~seed, 0, n);
  Kokkos::parallel_for(
      "copse::traversal::random_catalogue",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>>(space, 0, n),
      KOKKOS_LAMBDA(const Count i) {
        for (int a = 0; a < Dim; ++a)
          points(i, a) =
              Kokkos::min(Kokkos::fma(points(i, a), box.extent(a), box.lower[a]), box.upper[a]);
      });
  space.fence("copse::traversal::random_catalogue");
  return points;
}

/// The region of the survey: --box if given, otherwise the bounding box of the data.
template <int Dim>
Box<Dim> region_of(const app::Session& session, const Box<Dim>& bounds) {
  Box<Dim> region = bounds;
  if constexpr (Dim == 3) {
    if (session.options().box) region = *session.options().box;
  }
  if (!region.contains(bounds.lower) || !region.contains(bounds.upper))
    throw InputError(
        "--box does not contain all points, so random points cannot be drawn from the same volume");
  if (!(region.volume() > 0))
    throw InputError(
        "the bounding box of the points has no volume, so random points cannot be drawn from it");
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
class CorrelationRun final : public Benchmark {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Set = Catalogue<Dim, MemorySpace>;
  using Part = BenchmarkRun<ExecutionSpace, PairBenchmark<ExecutionSpace, Dim>>;

  CorrelationRun(app::Session& session, const ExecutionSpace& space, const Request& request)
      : session_(session), request_(request), builder_(space) {
    data_.points = load_input<Dim>(session, space, request).points;
    const Count n = data_.points.extent(0);
    if (n < 2) throw InputError("--correlation needs at least two points");
    const Box<Dim> region = region_of(session, bounding_box(space, data_.points));
    edges_ = request.separation_edges(shortest_side(region) / 20);
    random_.points =
        random_catalogue(space, session.options().seed, request.random_points(n), region);
    // For each pair of sets, the smaller set provides the queries.
    const auto add = [&](const std::string& name, const Set& queries, const Set& set) {
      parts_[name] = std::make_unique<Part>(session, space, request, name, queries, set, edges_);
    };
    add("data_data", data_, data_);
    add("data_random", data_, random_);
    add("random_random", random_, random_);
  }

  void build() override {
    for (Set* set : {&data_, &random_}) build_tree(builder_, set->points, request_, set->tree);
  }

  /// Sums the three walks of each configuration.
  std::vector<Measured> walk_all() override {
    std::vector<Measured> sums;
    for (auto& [name, part] : parts_) {
      const auto& measured = measured_[name] = part->walk_all();
      if (sums.empty()) {
        sums = measured;
      } else {
        for (std::size_t m = 0; m < sums.size(); ++m) sums[m].add(measured[m]);
      }
    }
    return sums;
  }

  void verify(const std::vector<Measured>&) override {
    if (!session_.options().verify) return;
    for (auto& [name, part] : parts_) {
      part->verify(measured_[name]);
      const auto& pairs = part->traversal();
      session_.report().results()["checked_queries"][name] = pairs.checked();
      session_.print(fmt::format("{}: {} of {} queries compared with all points", name,
                                 pairs.checked(), pairs.queries()));
    }
  }

  void report(const std::vector<Measured>& measured, double build_seconds) override {
    const Count data = data_.points.extent(0), random = random_.points.extent(0);
    const auto pairs = [&](const char* name) { return parts_.at(name)->traversal().results(); };
    report_configurations(session_, measured, build_seconds, 2 * data + random);
    report_correlation(session_, edges_,
                       {data, random, pairs_once(pairs("data_data"), edges_, data),
                        pairs("data_random"), pairs_once(pairs("random_random"), edges_, random)});
  }

 private:
  app::Session& session_;
  const Request& request_;
  BalancedTreeBuilder<ExecutionSpace, Dim> builder_;
  Set data_;
  Set random_;
  std::vector<Real> edges_;
  std::map<std::string, std::unique_ptr<Part>> parts_;     ///< in the order of their names
  std::map<std::string, std::vector<Measured>> measured_;  ///< of each part
};

}  // namespace

std::unique_ptr<Benchmark> load_correlation(app::Session& session, const Request& request) {
  std::unique_ptr<Benchmark> loaded;
  dispatch_backend(session.options().backend, [&]<class Space>(const Space& space) {
    dispatch_dimension(static_cast<int>(request.dimension), [&](auto dim) {
      loaded = std::make_unique<CorrelationRun<Space, dim()>>(session, space, request);
    });
  });
  return loaded;
}

}  // namespace copse::traversal
