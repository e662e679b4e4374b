/// Solutions of the exercises on friends of friends.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <vector>

namespace copse::book {
namespace {

using Rows = std::vector<std::size_t>;

// [begin nearest_image]
/// The distance of two coordinates in a box of length L, symmetric in its arguments.
float nearest_image(float a, float b, float length) {
  const float d = std::abs(a - b);
  return std::min(d, length - d);
}

/// The tempting wrong version: the other particle, shifted by L.
float shifted_image(float a, float b, float length) {
  return std::min({std::abs(a - b), std::abs(a - (b + length)), std::abs(a - (b - length))});
}
// [end nearest_image]

// [begin members]
/// Members of each group, by its label: the intended result of [Wood 2014] algorithm 4.
std::map<std::size_t, std::size_t> members_of(const Rows& labels) {
  std::map<std::size_t, std::size_t> members;
  for (const std::size_t label : labels) ++members[label];
  return members;
}
// [end members]

TEST_CASE("FoF 1: the nearest image is symmetric, a shifted particle is not symmetric") {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(0.0F, 1.0F);
  int asymmetric = 0;
  for (int i = 0; i < 100000; ++i) {
    const float a = uniform(random), b = uniform(random);
    REQUIRE(nearest_image(a, b, 1.0F) == nearest_image(b, a, 1.0F));
    asymmetric += shifted_image(a, b, 1.0F) != shifted_image(b, a, 1.0F);
  }
  CHECK(asymmetric > 0);
}

TEST_CASE("FoF 3: members are counted from labels, each once") {
  const auto members = members_of({0, 0, 2});
  CHECK(members == std::map<std::size_t, std::size_t>{{0, 2}, {2, 1}});
  CHECK(members_of({}).empty());
}

}  // namespace
}  // namespace copse::book
