/// Solutions of the exercises on trees: keys and kd-trees.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace copse::book {
namespace {

// [begin ordered]
/// Maps floats to unsigned numbers of the same order: inverts all bits of negative ones, and the
/// sign bit of others.
std::uint32_t ordered(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);  // -0 becomes +0
  return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}
// [end ordered]

using Point = std::array<int, 2>;

// [begin kd_order]
/// Orders the points as a kd-tree: the median along the axis in the middle, smaller points before
/// it, larger points after it, and recursively both halves with the next axis.
void order_as_kd_tree(std::span<Point> points, int axis = 0) {
  if (points.size() < 2) return;
  const std::size_t middle = points.size() / 2;
  std::nth_element(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(middle),
                   points.end(),
                   [axis](const Point& a, const Point& b) { return a[axis] < b[axis]; });
  order_as_kd_tree(points.first(middle), 1 - axis);
  order_as_kd_tree(points.subspan(middle + 1), 1 - axis);
}

/// Points within `range` of `centre`, found by descending where the cut plane does not exclude it
/// ([Wood 2014] eqs. 3.6 and 3.7, with <= for keys equal to the median's).
int count_near(std::span<const Point> points, const Point& centre, int range, int axis = 0) {
  if (points.empty()) return 0;
  const std::size_t middle = points.size() / 2;
  const Point& here = points[middle];
  const int dx = here[0] - centre[0], dy = here[1] - centre[1];
  int count = dx * dx + dy * dy < range * range;
  if (here[axis] >= centre[axis] - range)
    count += count_near(points.first(middle), centre, range, 1 - axis);
  if (here[axis] <= centre[axis] + range)
    count += count_near(points.subspan(middle + 1), centre, range, 1 - axis);
  return count;
}
// [end kd_order]

TEST_CASE("Trees 1: ordered numbers compare as floats do") {
  std::vector<float> numbers{-1e30F, -1.0F, -1e-40F, -0.0F, 0.0F, 1e-40F, 1.0F, 1e30F};
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(std::uniform_real_distribution<float>(-2, 2)(random));
  for (const float a : numbers)
    for (const float b : numbers) CHECK((a < b) == (ordered(a) < ordered(b)));
}

TEST_CASE("Trees 3: the eight points of [Wood 2014] figure 3.5 form a kd-tree") {
  std::vector<Point> points{{6, 1}, {5, 5}, {9, 6}, {3, 6}, {4, 9}, {4, 0}, {7, 9}, {2, 9}};
  order_as_kd_tree(points);
  CHECK(points[4] == Point{5, 5});  // 5 is fifth of 2 3 4 4 5 6 7 9
  for (int x = 0; x < 10; ++x)
    for (int y = 0; y < 10; ++y)
      for (int range = 1; range < 12; ++range)
        CHECK(count_near(points, {x, y}, range) ==
              std::count_if(points.begin(), points.end(), [&](const Point& p) {
                return (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) < range * range;
              }));
}

}  // namespace
}  // namespace copse::book
