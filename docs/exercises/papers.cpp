/// Solutions of the exercises on reading papers: small programs that demonstrate errors.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace copse::book {
namespace {

// [begin squares]
using Difference = std::array<double, 3>;

/// Equation 3.3 of [Wood 2014].
bool friends(const Difference& d, double linking_length) {
  double sum = 0;
  for (const double component : d) sum += component * component;
  return sum < linking_length * linking_length;
}

/// Its appendix computes this: components are added before they are squared.
bool friends_as_printed(const Difference& d, double linking_length) {
  const double sum = d[0] + d[1] + d[2];
  return sum * sum < linking_length * linking_length;
}
// [end squares]

// [begin clusters]
/// A query's walk: the leaves it reached, in order, numbered from 1; 0 after the last.
using Walks = std::vector<std::vector<std::size_t>>;

/// Figure 3.8 of [Liu 2019] for queries that have agreed in the steps before `step`: distributes
/// them by the next leaf, leaf by leaf, until few are left together. At a leaf that no query
/// reaches next, the listing returns (line 16); `stop_at_empty` reproduces this.
void schedule(const Walks& walks, const std::vector<std::size_t>& queries, std::size_t step,
              std::size_t leaves, bool stop_at_empty, std::vector<std::size_t>& order) {
  if (queries.size() <= 2 || step == walks.front().size()) {
    order.insert(order.end(), queries.begin(), queries.end());
    return;
  }
  std::vector<std::vector<std::size_t>> clusters(leaves + 1);
  for (const std::size_t q : queries) clusters[walks[q][step]].push_back(q);
  order.insert(order.end(), clusters[0].begin(), clusters[0].end());  // finished walks
  for (std::size_t leaf = 1; leaf <= leaves; ++leaf) {
    if (clusters[leaf].empty() && stop_at_empty) return;
    schedule(walks, clusters[leaf], step + 1, leaves, stop_at_empty, order);
  }
}
// [end clusters]

// [begin rate]
/// Bytes per key that must have crossed the bus if a printed rate is right.
double bytes_a_key(double gigabytes_per_second, double keys, double seconds) {
  return gigabytes_per_second * 1e9 * seconds / keys;
}
// [end rate]

TEST_CASE("Papers 1: the printed distance makes friends of strangers, and strangers of friends") {
  CHECK(friends_as_printed({1, -1, 0}, 0.5));
  CHECK_FALSE(friends({1, -1, 0}, 0.5));
  CHECK_FALSE(friends_as_printed({0.4, 0.4, 0.4}, 1));
  CHECK(friends({0.4, 0.4, 0.4}, 1));
  // Along one axis the error is invisible.
  for (const double d : {-2.0, -0.3, 0.0, 0.3, 2.0})
    CHECK(friends({d, 0, 0}, 1) == friends_as_printed({d, 0, 0}, 1));
}

TEST_CASE("Papers 2: a schedule that returns at an empty cluster loses queries") {
  std::mt19937 random(1);
  Walks walks(200, std::vector<std::size_t>(3));
  for (auto& walk : walks)
    for (std::size_t& leaf : walk) leaf = 1 + random() % 8;
  for (auto& walk : walks)
    if (walk[0] == 3) walk[0] = 4;  // no query begins in leaf 3
  std::vector<std::size_t> queries(walks.size()), right, printed;
  std::iota(queries.begin(), queries.end(), std::size_t{0});
  schedule(walks, queries, 0, 8, false, right);
  schedule(walks, queries, 0, 8, true, printed);
  CHECK(printed.size() < right.size());
  std::sort(right.begin(), right.end());
  CHECK(right == queries);
}

TEST_CASE("Papers 3: 560 GB/s and 2^27 floats in 1.9 ms contradict each other") {
  CHECK(bytes_a_key(560, 134217728.0, 1.9e-3) == Catch::Approx(7.93).margin(0.01));
  CHECK(bytes_a_key(283, 134217728.0, 1.9e-3) == Catch::Approx(4.0).margin(0.01));
}

}  // namespace
}  // namespace copse::book
