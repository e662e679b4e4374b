/// Solutions of the exercises on scheduling: first leaves, packets.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace copse::book {
namespace {

/// rows[q][leaf] is 1 if query q reached the leaf.
using Matrix = std::vector<std::vector<int>>;
using Order = std::vector<std::size_t>;

Order input_order(std::size_t n) {
  Order order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// [begin first_leaf]
/// The leaf of 2^levels where the walk of a query at x begins. Leaf l holds points from lower[l] to
/// upper[l] on a line; the walk goes to the nearer of two halves first, to the lower one if both
/// are equally near.
std::size_t first_leaf(const std::vector<double>& lower, const std::vector<double>& upper,
                       double x) {
  std::size_t begin = 0, end = lower.size();
  const auto distance = [&](std::size_t from, std::size_t to) {
    return std::max({lower[from] - x, x - upper[to - 1], 0.0});
  };
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    (distance(begin, middle) <= distance(middle, end) ? end : begin) = middle;
  }
  return begin;
}

/// The average bit width of the distance between the leaves of consecutive queries.
double bits_apart(const std::vector<std::size_t>& leaves) {
  std::size_t bits = 0;
  for (std::size_t i = 1; i < leaves.size(); ++i) {
    const std::size_t a = leaves[i - 1], b = leaves[i];
    bits += static_cast<std::size_t>(std::bit_width(a < b ? b - a : a - b));
  }
  return static_cast<double>(bits) / static_cast<double>(leaves.size() - 1);
}
// [end first_leaf]

// [begin packets]
/// Delta: the number of leaves that exactly one of two consecutive queries reaches, summed over all
/// pairs.
int differences(const Matrix& rows, const Order& order) {
  int sum = 0;
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t leaf = 0; leaf < rows.front().size(); ++leaf)
      sum += std::abs(rows[order[i - 1]][leaf] - rows[order[i]][leaf]);
  return sum;
}

/// Leaves that packets of `width` queries visit: for each packet, the union over its queries.
int packet_visits(const Matrix& rows, const Order& order, std::size_t width) {
  int sum = 0;
  for (std::size_t first = 0; first < order.size(); first += width)
    for (std::size_t leaf = 0; leaf < rows.front().size(); ++leaf) {
      int reached = 0;
      for (std::size_t i = first; i < std::min(first + width, order.size()); ++i)
        reached |= rows[order[i]][leaf];
      sum += reached;
    }
  return sum;
}

/// The fewest visits of packets over all orders, and over those of minimum Delta: all n! are tried.
struct Best {
  int of_all = std::numeric_limits<int>::max();
  int of_least_delta = std::numeric_limits<int>::max();
};
Best best_packets(const Matrix& rows, std::size_t width) {
  Best best;
  int least = std::numeric_limits<int>::max();
  Order order = input_order(rows.size());
  do {
    const int delta = differences(rows, order), visits = packet_visits(rows, order, width);
    best.of_all = std::min(best.of_all, visits);
    if (delta < least) best.of_least_delta = visits;
    if (delta == least) best.of_least_delta = std::min(best.of_least_delta, visits);
    least = std::min(least, delta);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}
// [end packets]

Matrix random_rows(std::size_t queries, std::size_t leaves, std::mt19937& random) {
  Matrix rows(queries, std::vector<int>(leaves));
  for (auto& row : rows)
    for (int& reached : row) reached = random() % 2 == 0;
  return rows;
}

TEST_CASE("Scheduling 2: the first leaf is the nearest, and tells order from disorder") {
  constexpr std::size_t leaves = 64;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> points(4 * leaves), lower, upper;
  for (double& x : points) x = uniform(random);
  std::sort(points.begin(), points.end());
  for (std::size_t l = 0; l < leaves; ++l) {
    lower.push_back(points[4 * l]);
    upper.push_back(points[4 * l + 3]);
  }
  std::vector<double> queries(1000);
  for (double& x : queries) x = uniform(random);
  const auto leaves_of = [&] {
    std::vector<std::size_t> found;
    for (const double x : queries) found.push_back(first_leaf(lower, upper, x));
    return found;
  };
  for (const double x : queries) {
    const std::size_t found = first_leaf(lower, upper, x);
    const auto distance = [&](std::size_t l) {
      return std::max({lower[l] - x, x - upper[l], 0.0});
    };
    for (std::size_t l = 0; l < leaves; ++l) CHECK(distance(found) <= distance(l));
  }
  CHECK(bits_apart(leaves_of()) > 3);
  std::sort(queries.begin(), queries.end());
  const auto in_order = leaves_of();
  CHECK(std::is_sorted(in_order.begin(), in_order.end()));
  CHECK(bits_apart(in_order) < 0.2);
}

TEST_CASE("Scheduling 3: the least Delta does not always make the best packets") {
  std::mt19937 random(3);
  int worse = 0;
  for (int i = 0; i < 100; ++i) {
    const Best best = best_packets(random_rows(6, 5, random), 3);
    REQUIRE(best.of_least_delta >= best.of_all);
    worse += best.of_least_delta > best.of_all;
  }
  CHECK(worse > 0);
  CHECK(worse < 100);
}

}  // namespace
}  // namespace copse::book
