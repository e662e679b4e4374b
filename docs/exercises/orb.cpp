/// Solutions of the exercises on orthogonal recursive bisection.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

// [begin left_leaves]
/// Leaves below the left child of a root with d leaves, if the heap's last level fills from the
/// left ([Rehmann 2022] eq. 4, whose 2^(l-2) is one half for d = 2).
std::uint32_t leaves_left(std::uint32_t d) {
  if (d == 2) return 1;
  const int levels = std::bit_width(d - 1);  // ceil(log2 d)
  return std::min(d - (1U << (levels - 2)), 1U << (levels - 1));
}
// [end left_leaves]

/// The same by counting: cells are 1 .. 2d - 1, and those from d on are leaves.
std::uint32_t leaves_below(std::uint32_t cell, std::uint32_t d) {
  return cell >= d ? 1 : leaves_below(2 * cell, d) + leaves_below(2 * cell + 1, d);
}

// [begin reshuffle]
/// Reshuffle of [Rehmann draft], as printed: returns the supposed number of left rows.
std::size_t reshuffle_as_printed(std::vector<double>& x, double split) {
  std::size_t i = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] < split) {
      i = i + 1;
      if (i < x.size()) std::swap(x[i], x[j]);  // as printed, unconditionally
    }
  }
  if (i < x.size()) std::swap(x[i], x.back());
  return i;
}

/// Corrected: i is the first row not known to be left, so swap first and count then; and no last
/// swap.
std::size_t reshuffle(std::vector<double>& x, double split) {
  std::size_t i = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (x[j] < split) std::swap(x[i++], x[j]);
  return i;
}
// [end reshuffle]

bool is_partitioned(const std::vector<double>& x, std::size_t left, double split) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if ((x[i] < split) != (i < left)) return false;
  return true;
}

// [begin launches]
struct Launches {
  std::uint32_t per_cell = 0, batched = 0;
};

/// Launches of the count kernel for one step of every cut of a tree of d leaves: one per cell that
/// is cut, or one per level with such cells.
Launches launches_of_a_step(std::uint32_t d) {
  Launches launches;
  for (std::uint32_t first = 1; first < d; first *= 2) {
    ++launches.batched;
    for (std::uint32_t cell = first; cell < 2 * first; ++cell) launches.per_cell += cell < d;
  }
  return launches;
}
// [end launches]

TEST_CASE("ORB 1: equation 4, mended, counts the leaves of the heap") {
  for (std::uint32_t d = 2; d < 2000; ++d) CHECK(leaves_left(d) == leaves_below(2, d));
}

TEST_CASE("ORB 2: the draft's Reshuffle leaves row 0 where it is") {
  std::vector<double> two{0.9, 0.1};
  const std::size_t left = reshuffle_as_printed(two, 0.5);
  CHECK(left == 1);
  CHECK(two == std::vector<double>{0.9, 0.1});  // so 0.9 is on the left
  CHECK_FALSE(is_partitioned(two, left, 0.5));

  std::mt19937 random(3);
  for (int n = 0; n < 50; ++n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (auto& value : x) value = std::uniform_real_distribution<double>(0, 1)(random);
    std::vector<double> before = x;
    CHECK(is_partitioned(x, reshuffle(x, 0.5), 0.5));
    std::sort(before.begin(), before.end());
    std::sort(x.begin(), x.end());
    CHECK(before == x);
  }
}

TEST_CASE("ORB 3: d - 1 launches a step, or ceil(log2 d)") {
  for (std::uint32_t d = 1; d < 5000; ++d) {
    const Launches launches = launches_of_a_step(d);
    CHECK(launches.per_cell == d - 1);
    CHECK(launches.batched == static_cast<std::uint32_t>(std::bit_width(d - 1)));
  }
}

}  // namespace
}  // namespace copse::book
