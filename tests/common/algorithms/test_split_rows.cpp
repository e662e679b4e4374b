#include "hostile_keys.hpp"
#include <copse/algorithms/split_rows.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace copse::test {
namespace {

constexpr int most = 4096;

/// A guard value that no split writes; a change means a write beyond a side's end.
constexpr int guard = 40;

template <class Key, class Value>
void check_split(const std::vector<Key>& keys, Key threshold) {
  const int rows = static_cast<int>(keys.size());
  std::vector<Value> from(keys.size());
  for (int i = 0; i < rows; ++i) from[i] = static_cast<Value>(i + 1);
  std::vector<Value> left, right;
  Key left_max = 0, right_min = static_cast<Key>(~Key{0});
  for (int i = 0; i < rows; ++i) {
    (keys[i] <= threshold ? left : right).push_back(from[i]);
    if (keys[i] <= threshold) left_max = std::max(left_max, keys[i]);
    if (keys[i] > threshold) right_min = std::min(right_min, keys[i]);
  }
  RowMask<most> mask{};
  const auto sides = compare_rows<Key, most>(keys.data(), rows, threshold, mask);
  REQUIRE(sides.up_to == static_cast<int>(left.size()));
  CHECK(sides.left_max == left_max);
  CHECK(sides.right_min == right_min);
  std::vector<Value> set(left.size() + guard, Value{0}), clear(right.size() + guard, Value{0});
  split_rows<Value, most>(from.data(), rows, mask, sides.up_to, set.data(), clear.data());
  left.resize(set.size(), Value{0});
  right.resize(clear.size(), Value{0});
  CHECK(set == left);
  CHECK(clear == right);
}

TEST_CASE("Rows are split in order, and nothing is written beyond either side") {
  for (const std::string& kind : key_kinds())
    for (int rows : {0, 1, 15, 16, 17, 31, 100, 4095, 4096}) {
      INFO(kind << ", " << rows << " rows");
      const auto narrow = make_keys<std::uint32_t>(kind, rows);
      const auto wide = make_keys<std::uint64_t>(kind, rows);
      for (int at : {0, rows / 3, rows - 1}) {
        if (at < 0 || at >= rows) continue;
        check_split<std::uint32_t, float>(narrow, narrow[at]);
        check_split<std::uint32_t, double>(narrow, narrow[at]);
        check_split<std::uint64_t, std::uint32_t>(wide, wide[at]);
      }
      check_split<std::uint32_t, float>(narrow, 0u);
      check_split<std::uint32_t, float>(narrow, ~0u);
    }
}

TEST_CASE("The keys strictly inside a range are kept in order, also in place") {
  for (const std::string& kind : key_kinds())
    for (int rows : {0, 1, 16, 33, 1000}) {
      INFO(kind << ", " << rows << " rows");
      std::vector<std::uint32_t> keys = make_keys<std::uint32_t>(kind, rows);
      auto sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      const std::uint32_t low = rows > 0 ? sorted[rows / 4] : 0;
      const std::uint32_t high = rows > 0 ? sorted[3 * rows / 4] : 0;
      std::vector<std::uint32_t> expected;
      std::copy_if(keys.begin(), keys.end(), std::back_inserter(expected),
                   [&](std::uint32_t k) { return k > low && k < high; });
      const int kept = keep_between(keys.data(), rows, low, high, keys.data());
      keys.resize(kept);
      CHECK(keys == expected);
    }
}

}  // namespace
}  // namespace copse::test
