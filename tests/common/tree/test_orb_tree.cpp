#include <copse/tree/orb_tree.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace copse {
namespace {

TEST_CASE("Left leaves follow equation 4 evaluated in real numbers") {
  for (std::uint32_t d = 2; d < 5000; ++d) {
    const double l = std::ceil(std::log2(static_cast<double>(d)));
    const double expected = std::min(d - std::exp2(l - 2), std::exp2(l - 1));
    CHECK(left_leaves(d, LeafRule::complete) == static_cast<std::uint32_t>(expected));
  }
}

TEST_CASE("Left leaves of the halves rule are half, the odd one included") {
  CHECK(left_leaves(2, LeafRule::halves) == 1);
  CHECK(left_leaves(5, LeafRule::halves) == 3);
  CHECK(left_leaves(6, LeafRule::halves) == 3);
}

/// Counts cells and finds the largest slot, by recursion over the rule.
void grow(std::uint32_t slot, std::uint32_t d, LeafRule rule, Count& cells,
          std::uint32_t& largest) {
  ++cells;
  largest = std::max(largest, slot);
  if (d == 1) return;
  const std::uint32_t left = left_leaves(d, rule);
  REQUIRE(left >= 1);
  REQUIRE(left < d);
  grow(2 * slot, left, rule, cells, largest);
  grow(2 * slot + 1, d - left, rule, cells, largest);
}

TEST_CASE("The complete rule fills a heap of 2d - 1 cells without gaps, to depth ceil(log2 d)") {
  for (std::uint32_t d = 1; d < 300; ++d) {
    Count cells = 0;
    std::uint32_t largest = 0;
    grow(1, d, LeafRule::complete, cells, largest);
    CHECK(cells == 2 * Count{d} - 1);
    CHECK(largest == 2 * d - 1);
    CHECK(orb_depth(d) == static_cast<int>(std::ceil(std::log2(static_cast<double>(d)))));
  }
}

TEST_CASE("The halves rule stays within the heap of that depth") {
  for (std::uint32_t d = 1; d < 300; ++d) {
    Count cells = 0;
    std::uint32_t largest = 0;
    grow(1, d, LeafRule::halves, cells, largest);
    CHECK(cells == 2 * Count{d} - 1);
    CHECK(largest < (std::uint32_t{2} << orb_depth(d)));
  }
}

TEST_CASE("Left particles are the share of the leaves, rounded down or up, without overflow") {
  CHECK(left_particles(7, 2, 3, LeafRule::complete) == 4);  // [Rehmann 2022] section 3.4
  CHECK(left_particles(7, 2, 3, LeafRule::halves) == 5);    // ceil(14 / 3)
  CHECK(left_particles(0, 1, 2, LeafRule::complete) == 0);
  CHECK(left_particles(1, 1, 2, LeafRule::complete) == 0);
  CHECK(left_particles(1, 1, 2, LeafRule::halves) == 1);
  const Count huge = Count{1} << 62;
  CHECK(left_particles(huge, 1u << 27, 1u << 28, LeafRule::complete) == huge / 2);
  for (Count n = 0; n < 200; ++n)
    for (std::uint32_t d = 2; d < 40; ++d)
      for (std::uint32_t left = 1; left < d; ++left) {
        CHECK(left_particles(n, left, d, LeafRule::complete) == n * left / d);
        CHECK(left_particles(n, left, d, LeafRule::halves) == (n * left + d - 1) / d);
      }
}

}  // namespace
}  // namespace copse
