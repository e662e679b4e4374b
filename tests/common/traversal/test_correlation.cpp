// Oracles: values computed by hand; the scatter of many unclustered data sets; and the analytic
// correlation of a Thomas process (Thomas, Biometrika 36, 1949; as a Neyman-Scott process in Illian
// et al., "Statistical analysis and modelling of spatial point patterns", 2008, 6.3.2).
#include "point_sets.hpp"
#include <copse/backend/error.hpp>
#include <copse/traversal/correlation.hpp>
#include <copse/traversal/visitors/pair_counts.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/balanced_builder.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <numeric>

namespace copse::test {
namespace {

constexpr int dimension = 3;
using HostExecution = Kokkos::DefaultHostExecutionSpace;
using Catch::Matchers::WithinRel;

/// Pair counts (query, tree point), each pair of a set counted twice.
std::vector<Count> pairs_of(const BoxTree<dimension, Kokkos::HostSpace>& tree,
                            const HostPoints<dimension>& queries, const std::vector<Real>& edges) {
  const PairTotals<Kokkos::HostSpace> totals("copse::test::totals", pair_copies, edges.size() - 1);
  const HostExecution space;
  walk(space, WalkKind::fsm,
       PairCounts<8, dimension, Kokkos::HostSpace>{tree, queries, totals, pair_edges2<8>(edges)},
       {queries.extent(0), {}});
  space.fence();
  return pair_totals<Kokkos::HostSpace>(totals);
}

/// Random points with a tree, compared with many data sets.
class Comparison {
 public:
  Comparison(Count n, const std::vector<Real>& edges)
      : edges_(edges), randoms_(builder_.kd_tree(make_points<dimension>("uniform", n, 77), {16})) {
    pairs_.random = n;
    pairs_.random_random = pairs_once(pairs_of(randoms_, randoms_.points, edges), edges, n);
  }

  std::vector<Correlation> of(const HostPoints<dimension>& data) {
    pairs_.data = data.extent(0);
    pairs_.data_data =
        pairs_once(pairs_of(builder_.kd_tree(data, {16}), data, edges_), edges_, data.extent(0));
    pairs_.data_random = pairs_of(randoms_, data, edges_);
    return landy_szalay(pairs_);
  }

 private:
  std::vector<Real> edges_;
  BalancedTreeBuilder<HostExecution, dimension> builder_;
  BoxTree<dimension, Kokkos::HostSpace> randoms_;
  SeparationCounts pairs_;
};

struct Mean {
  double value;
  double error;  ///< from the scatter
};

Mean mean_of(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

TEST_CASE("Pairs within one set are counted once, without self-pairs") {
  CHECK(pairs_once({17, 6, 0}, {0, 1, 2, 3}, 5) == std::vector<Count>{6, 3, 0});
  CHECK(pairs_once({12, 6}, {Real(0.5), 1, 2}, 5) == std::vector<Count>{6, 3});

  // Four corners of a square: four sides and two diagonals.
  HostPoints<2> corners("copse::test::corners", 4);
  corners(1, 0) = corners(2, 1) = corners(3, 0) = corners(3, 1) = 1;
  BalancedTreeBuilder<HostExecution, 2> builder;
  const auto tree = builder.kd_tree(corners, {1});
  const std::vector<Real> edges{0, 1, Real(1.2), 2};
  const PairTotals<Kokkos::HostSpace> totals("copse::test::totals", pair_copies, 3);
  walk(HostExecution{}, WalkKind::fsm,
       PairCounts<3, 2, Kokkos::HostSpace>{tree, corners, totals, pair_edges2<3>(edges)}, {4, {}});
  HostExecution{}.fence();
  CHECK(pairs_once(pair_totals<Kokkos::HostSpace>(totals), edges, 4) ==
        std::vector<Count>{0, 4, 2});
}

TEST_CASE("Logarithmic edges have equal ratios and the requested ends") {
  CHECK(logarithmic_edges(0.25, 16, 3) == std::vector<Real>{0.25f, 1, 4, 16});
  const auto edges = logarithmic_edges(0.001, 0.3, 16);
  REQUIRE(edges.size() == 17);
  CHECK(edges.front() == Real(0.001));
  CHECK(edges.back() == Real(0.3));
  for (std::size_t e = 1; e < edges.size(); ++e)
    CHECK_THAT(double(edges[e]) / double(edges[e - 1]), WithinRel(std::pow(300.0, 1.0 / 16), 1e-6));
}

TEST_CASE("The estimator has the normalisations of pairs within and between sets") {
  // 4 data points: 6 pairs; 5 random points: 10 pairs; 20 pairs between them. Shares 1/2, 1/4, 1/5
  // in the first bin: xi = (1/2 - 1/2 + 1/5) / (1/5) = 1. All shares equal in the second: xi = 0.
  const auto xi = landy_szalay({4, 5, {3, 3, 0, 1}, {5, 10, 2, 1}, {2, 5, 1, 0}});
  CHECK_THAT(xi[0].xi, WithinRel(1.0, 1e-14));
  CHECK_THAT(xi[0].error, WithinRel(std::sqrt(3.0) / 1.2, 1e-14));
  CHECK(std::abs(xi[1].xi) < 1e-14);
  CHECK_THAT(xi[1].error, WithinRel(std::sqrt(3.0) / 3.0, 1e-14));
  // No data pairs: xi = (0 - 2/10 + 1/10) / (1/10) = -1, with the error of one pair.
  CHECK_THAT(xi[2].xi, WithinRel(-1.0, 1e-14));
  CHECK_THAT(xi[2].error, WithinRel(1.0 / 0.6, 1e-14));
  CHECK(std::isnan(xi[3].xi));
  CHECK_THROWS_AS(landy_szalay({1, 5, {0}, {0}, {0}}), InputError);
  CHECK_THROWS_AS(landy_szalay({5, 1, {0}, {0}, {0}}), InputError);
  CHECK_THROWS_AS(landy_szalay({5, 5, {0}, {0, 1}, {0}}), InputError);
}

TEST_CASE("Points without structure have no correlation, within the stated errors") {
  const std::vector<Real> edges{Real(0.02), Real(0.04), Real(0.06), Real(0.09), Real(0.13)};
  Comparison comparison(20000, edges);
  std::vector<std::vector<double>> in_errors(edges.size() - 1);
  for (unsigned seed = 0; seed < 24; ++seed) {
    const auto xi = comparison.of(make_points<dimension>("uniform", 2000, 1000 + seed));
    for (std::size_t b = 0; b < xi.size(); ++b) in_errors[b].push_back(xi[b].xi / xi[b].error);
  }
  for (std::size_t b = 0; b < in_errors.size(); ++b) {
    const Mean mean = mean_of(in_errors[b]);
    INFO("bin " << b << ": mean " << mean.value << " +- " << mean.error);
    CHECK(std::abs(mean.value) < 4 * mean.error);
    // The mean error must match the scatter of one data set within four standard deviations of 24
    // draws.
    const double scatter = mean.error * std::sqrt(24.0);
    CHECK(scatter > 0.4);
    CHECK(scatter < 1.6);
  }
}

/// Clusters with a Poisson number of points, normally distributed around centres that are uniform
/// in and around the unit cube; returns the points in the cube.
HostPoints<dimension> thomas_process(double centres, double members, double sigma, unsigned seed) {
  std::mt19937_64 random(seed);
  const double margin = 6 * sigma;
  const double width = 1 + 2 * margin;
  std::poisson_distribution<int> number_of_centres(centres * width * width * width);
  std::poisson_distribution<int> number_of_members(members);
  std::uniform_real_distribution<double> place(-margin, 1 + margin);
  std::normal_distribution<double> away(0, sigma);
  std::vector<std::array<double, dimension>> inside;
  for (int c = number_of_centres(random); c > 0; --c) {
    const std::array<double, dimension> centre{place(random), place(random), place(random)};
    for (int m = number_of_members(random); m > 0; --m) {
      std::array<double, dimension> x;
      for (int a = 0; a < dimension; ++a) x[a] = centre[a] + away(random);
      if (std::all_of(x.begin(), x.end(), [](double u) { return u >= 0 && u < 1; }))
        inside.push_back(x);
    }
  }
  HostPoints<dimension> points("copse::test::thomas", inside.size());
  for (Count i = 0; i < inside.size(); ++i)
    for (int a = 0; a < dimension; ++a) points(i, a) = static_cast<Real>(inside[i][a]);
  return points;
}

/// xi(r) = exp(-r^2 / (4 sigma^2)) / (kappa (4 pi sigma^2)^(3/2)), averaged over a bin's shell.
double thomas_correlation(double centres, double sigma, double from, double to) {
  const double pi = std::acos(-1.0);
  const double peak = 1 / (centres * std::pow(4 * pi * sigma * sigma, 1.5));
  double sum = 0;
  double volume = 0;
  constexpr int steps = 1000;
  for (int i = 0; i < steps; ++i) {
    const double r = from + (to - from) * (i + 0.5) / steps;
    sum += r * r * peak * std::exp(-r * r / (4 * sigma * sigma));
    volume += r * r;
  }
  return sum / volume;
}

TEST_CASE("A Thomas process has the theoretical correlation function") {
  const double centres = 1000;
  const double members = 5;
  const double sigma = 0.02;
  const std::vector<Real> edges{0,          Real(0.015), Real(0.03), Real(0.045),
                                Real(0.06), Real(0.08),  Real(0.11)};
  Comparison comparison(30000, edges);
  std::vector<std::vector<double>> xi(edges.size() - 1);
  for (unsigned seed = 0; seed < 16; ++seed) {
    const auto correlation = comparison.of(thomas_process(centres, members, sigma, seed));
    for (std::size_t b = 0; b < xi.size(); ++b) xi[b].push_back(correlation[b].xi);
  }
  for (std::size_t b = 0; b < xi.size(); ++b) {
    const double expected = thomas_correlation(centres, sigma, edges[b], edges[b + 1]);
    const Mean mean = mean_of(xi[b]);
    INFO("bin " << b << ": " << mean.value << " +- " << mean.error << ", theory " << expected);
    CHECK(std::abs(mean.value - expected) < 4 * mean.error);
    if (expected > 0.1) CHECK(mean.error < 0.1 * expected);  // else the bin is not significant
  }
}

}  // namespace
}  // namespace copse::test
