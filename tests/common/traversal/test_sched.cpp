#include "sched.hpp"
#include "schedule_matrices.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <limits>

namespace copse::test {
namespace {

DifferenceTable table(const BitRows& rows) {
  return DifferenceTable(visit_matrix(rows));
}

bool is_permutation_of_all(HostSchedule order, Count n) {
  std::sort(order.begin(), order.end());
  for (Count i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return order.size() == n;
}

Count best_of_all_permutations(const DifferenceTable& difference) {
  HostSchedule order(difference.size());
  std::iota(order.begin(), order.end(), LocalIndex{0});
  Count best = std::numeric_limits<Count>::max();
  do best = std::min(best, difference.cost(order));
  while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// Oracle: all permutations.
TEST_CASE("The cost of the optimum is that of the best permutation") {
  for (Count n = 1; n <= 8; ++n)
    for (unsigned seed = 0; seed < 3; ++seed) {
      const DifferenceTable difference = table(random_bit_rows(n, 20, seed));
      const HostSchedule order = sched_optimum(difference);
      CHECK(is_permutation_of_all(order, n));
      CHECK(difference.cost(order) == best_of_all_permutations(difference));
    }
}

TEST_CASE("The published schedule of points A to H is not the optimum, and 2-opt finds it") {
  const DifferenceTable difference = table(published_rows());
  const HostSchedule published{3, 7, 0, 4, 1, 2, 6, 5};
  const Count best = best_of_all_permutations(difference);
  CHECK(difference.cost(published) == 24);
  CHECK(best == 16);
  CHECK(difference.cost(sched_optimum(difference)) == best);
  CHECK(difference.cost(two_opt(difference, published)) == best);
}

TEST_CASE("The heuristics schedule all queries, and no reversal improves a schedule of 2-opt") {
  const Count n = 40;
  const unsigned seed = GENERATE(1, 2, 3, 4, 5, 6, 7, 8);
  const DifferenceTable difference = table(random_bit_rows(n, 100, seed));
  const HostSchedule near = nearest_neighbour_schedule(difference);
  const HostSchedule order = two_opt(difference, near);
  CHECK(is_permutation_of_all(near, n));
  CHECK(is_permutation_of_all(order, n));
  CHECK(difference.cost(order) <= difference.cost(near));
  for (Count i = 1; i < n; ++i) {  // greedy: no later query is nearer
    for (Count k = i; k < n; ++k)
      REQUIRE(difference(near[i - 1], near[i]) <= difference(near[i - 1], near[k]));
  }
  for (Count i = 0; i < n; ++i)
    for (Count j = i + 2; j <= n; ++j) {
      HostSchedule turned = order;
      std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(i),
                   turned.begin() + static_cast<std::ptrdiff_t>(j));
      REQUIRE(difference.cost(turned) >= difference.cost(order));
    }
}

TEST_CASE("The optimum costs at most what the heuristics cost") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const DifferenceTable difference = table(random_bit_rows(12, 60, seed));
    const HostSchedule order = two_opt(difference, nearest_neighbour_schedule(difference));
    CHECK(difference.cost(sched_optimum(difference)) <= difference.cost(order));
  }
}

TEST_CASE("Differences count leaves beyond the first word") {
  BitRows rows(2, std::vector<int>(130));
  rows[0][0] = rows[1][129] = rows[0][65] = rows[1][65] = 1;
  CHECK(table(rows)(0, 1) == 2);
}

TEST_CASE("Instances that are too large are refused") {
  CHECK_THROWS_AS(sched_optimum(table(BitRows(17, {1}))), InputError);
  CHECK(sched_optimum(table({})).empty());
}

}  // namespace
}  // namespace copse::test
