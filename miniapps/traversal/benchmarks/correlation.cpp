// point-correlation with --correlation: the two-point correlation function of the data, from the
// pair counts data-data, data-random and random-random (traversal/correlation.hpp).
#include "pair_benchmark.hpp"
#include "point_benchmark.hpp"
#include "random_catalogue.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/traversal/correlation.hpp>

#include <map>
#include <string>
#include <vector>

namespace copse::traversal {
namespace {

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
    const Box<Dim> region = region_of<Dim>(session.options(), space, data_.points);
    edges_ = request.separation_edges(shortest_side(region) / 20);
    random_.points =
        random_catalogue<Dim>(space, session.options().seed, request.random_points(n), region);
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
