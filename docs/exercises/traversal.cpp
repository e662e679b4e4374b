/// Solutions of the exercises on traversals.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace copse::book {
namespace {

// [begin radii]
/// Radii of the cells of a halving tree in `Dim` dimensions, from the bottom up as in [Liu 2019]
/// eq. 5.1, relative to the plain ones (half the diagonal). One entry per level; each level doubles
/// one side.
template <int Dim>
std::vector<double> growth_of_radii(int levels) {
  std::array<double, Dim> side;
  side.fill(1.0);
  const auto half_diagonal = [&] {
    double squares = 0.0;
    for (const double s : side) squares += s * s;
    return std::sqrt(squares) / 2;
  };
  double radius = half_diagonal();
  std::vector<double> growth;
  for (int level = 0; level < levels; ++level) {
    radius += side[static_cast<std::size_t>(level % Dim)] / 2;  // from the child's centre
    side[static_cast<std::size_t>(level % Dim)] *= 2;
    growth.push_back(radius / half_diagonal());
  }
  return growth;
}
// [end radii]

// [begin dual_walk]
/// A binary tree over ascending numbers: a cell is a range of them.
struct Range {
  std::size_t begin, end;
  bool is_leaf() const { return end - begin == 1; }
  Range left() const { return {begin, (begin + end) / 2}; }
  Range right() const { return {(begin + end) / 2, end}; }
};

/// The number of pairs of numbers within `reach`, by a walk of two trees: decisions common to all
/// of `outer` are made for all of it; the others are left to its children. Each child gets its own
/// list. ([Liu 2019] figure 4.2 decides everything for the outermost cell.)
std::size_t near_pairs(const std::vector<double>& x, double reach, Range outer,
                       std::vector<Range> to_check) {
  std::size_t pairs = 0;
  std::vector<Range> undecided;
  while (!to_check.empty()) {
    const Range inner = to_check.back();
    to_check.pop_back();
    const double lowest = x[outer.begin], highest = x[outer.end - 1];
    const double first = x[inner.begin], last = x[inner.end - 1];
    if (first - highest > reach || lowest - last > reach) continue;  // no pair
    if (last - lowest <= reach && highest - first <= reach) {        // all pairs
      pairs += (outer.end - outer.begin) * (inner.end - inner.begin);
    } else if (inner.is_leaf()) {
      undecided.push_back(inner);
    } else {
      to_check.push_back(inner.left());
      to_check.push_back(inner.right());
    }
  }
  if (outer.is_leaf() || undecided.empty()) return pairs;
  return pairs + near_pairs(x, reach, outer.left(), undecided) +
         near_pairs(x, reach, outer.right(), undecided);
}
// [end dual_walk]

TEST_CASE("Traversal 2: radii from the bottom up grow by a bounded factor") {
  const auto plane = growth_of_radii<2>(60), space = growth_of_radii<3>(60);
  CHECK(plane[0] == Catch::Approx(1.0797).epsilon(1e-4));  // printed: 1.07
  CHECK(plane[1] == Catch::Approx(1.2071).epsilon(1e-4));  // printed: 1.2
  CHECK(*std::max_element(plane.begin(), plane.end()) <= std::sqrt(2.0));
  CHECK(*std::max_element(space.begin(), space.end()) <= std::sqrt(3.0));
  CHECK(plane[59] == Catch::Approx(std::sqrt(2.0)));
  CHECK(space[59] == Catch::Approx(std::sqrt(3.0)));
  // Where inclusion fails (figure 5.7): a point within the lower square's circle, but outside the
  // circle of the rectangle that contains the square.
  const double x = 0.5 + std::sqrt(0.5) - 0.01, y = 0.5;
  CHECK(std::hypot(x - 0.5, y - 0.5) < std::sqrt(0.5));            // square [0, 1]^2
  CHECK(std::hypot(x - 0.5, y - 1.0) < std::sqrt(1.25));           // [0, 1] x [0, 2]: still inside
  CHECK(std::hypot(0.0, 0.5 + std::sqrt(0.5)) > std::sqrt(1.25));  // but not below the square
}

TEST_CASE("Traversal 3: a walk of two trees counts the pairs of brute force") {
  std::mt19937 random(6);
  for (const std::size_t n : {1U, 2U, 7U, 200U}) {
    std::vector<double> x(n);
    for (auto& value : x) value = std::uniform_real_distribution<double>(0, 1)(random);
    std::sort(x.begin(), x.end());
    for (const double reach : {0.0, 0.01, 0.3, 2.0}) {
      std::size_t expected = 0;
      for (const double a : x)
        for (const double b : x) expected += std::abs(a - b) <= reach;
      CHECK(near_pairs(x, reach, {0, n}, {{0, n}}) == expected);
    }
  }
}

}  // namespace
}  // namespace copse::book
