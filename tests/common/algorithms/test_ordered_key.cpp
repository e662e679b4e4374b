#include <copse/algorithms/ordered_key.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace copse {
namespace {

/// Values from all ranges of the type, in ascending order.
template <class Value>
std::vector<Value> number_line() {
  using Limits = std::numeric_limits<Value>;
  const std::array<Value, 8> positive{
      Limits::denorm_min(), Limits::min() / 2, Limits::min(),
      Value(0.1),           Value(1),          std::nextafter(Value(1), Value(2)),
      Value(1e30),          Limits::max()};
  std::vector<Value> line;
  for (auto v = positive.rbegin(); v != positive.rend(); ++v) line.push_back(-*v);
  line.push_back(Value(0));
  line.insert(line.end(), positive.begin(), positive.end());
  return line;
}

TEMPLATE_TEST_CASE("Keys have the order of the numbers", "", float, double) {
  const auto line = number_line<TestType>();
  for (std::size_t i = 0; i < line.size(); ++i)
    for (std::size_t j = 0; j < line.size(); ++j)
      CHECK((ordered_key(line[i]) < ordered_key(line[j])) == (line[i] < line[j]));
}

TEMPLATE_TEST_CASE("A key converts back to its number", "", float, double) {
  for (TestType x : number_line<TestType>()) CHECK(from_ordered_key<TestType>(ordered_key(x)) == x);
  std::mt19937_64 random(3);
  using Key = OrderedKey<TestType>;
  for (int i = 0; i < 100000; ++i) {
    const auto x = std::bit_cast<TestType>(static_cast<Key>(random()));
    if (std::isfinite(x) && x != 0)
      CHECK(std::bit_cast<Key>(from_ordered_key<TestType>(ordered_key(x))) ==
            std::bit_cast<Key>(x));
  }
}

TEMPLATE_TEST_CASE("Both zeros have one key", "", float, double) {
  CHECK(ordered_key(TestType(-0.0)) == ordered_key(TestType(0.0)));
}

TEMPLATE_TEST_CASE("Neighbouring numbers have neighbouring keys", "", float, double) {
  for (TestType x : {TestType(-2), TestType(1), TestType(1e-42)}) {
    const TestType next = std::nextafter(x, std::numeric_limits<TestType>::max());
    CHECK(ordered_key(next) - ordered_key(x) == 1);
  }
}

}  // namespace
}  // namespace copse
