/// Tests each error of [Rehmann 2022] listing 7 and algorithm 3; orb/partition/hoare.hpp lists
/// them.

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <orb/partition/hoare.hpp>
#include <random>
#include <stdexcept>
#include <vector>

namespace copse::test {

using namespace orb;
namespace {

/// Partitions keys[begin, end) and fails on any access outside. Oracle: a count and the multiset of
/// keys.
void check_partition(std::vector<int> keys, Count begin, Count end, int cut) {
  const std::vector<int> before = keys;
  const auto inside = [&](Count row) {
    if (row < begin || row >= end) throw std::out_of_range("row of another cell");
    return row;
  };
  const Count border = hoare_partition(
      Segment{begin, end}, [&](Count row) { return keys[inside(row)]; }, cut,
      [&](Count a, Count b) { std::swap(keys[inside(a)], keys[inside(b)]); });
  const auto first = keys.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = keys.begin() + static_cast<std::ptrdiff_t>(end);
  CHECK(border - begin ==
        static_cast<Count>(std::count_if(first, last, [&](int k) { return k <= cut; })));
  CHECK(std::is_partitioned(first, last, [&](int k) { return k <= cut; }));
  CHECK(std::is_permutation(keys.begin(), keys.end(), before.begin()));
  for (Count i = 0; i < keys.size(); ++i)
    if (i < begin || i >= end) CHECK(keys[i] == before[i]);
}

TEST_CASE("Keys equal to the cut all go left, wherever they lie") {
  check_partition({5, 5, 5, 5}, 0, 4, 5);
  check_partition({9, 5, 1, 5, 9, 5}, 0, 6, 5);
  check_partition({5, 9}, 0, 2, 5);
  check_partition({9, 5}, 0, 2, 5);
}

TEST_CASE("Neighbouring cells are neither read nor written") {
  check_partition({1, 2, 3, 4, 5, 6}, 2, 4, 9);  // all left: would overrun to the right
  check_partition({1, 9, 9, 9, 0, 0}, 1, 4, 5);  // all right: would overrun to the left
  check_partition({9, 1, 9, 1}, 1, 3, 5);
}

TEST_CASE("An empty right or left side needs no last swap") {
  check_partition({3, 1, 2}, 0, 3, 3);
  check_partition({3, 1, 2}, 0, 3, 0);
  check_partition({1, 2, 9}, 0, 3, 5);  // listing 7 is right here by accident
  check_partition({1, 9, 2, 8, 3}, 0, 5, 5);
}

TEST_CASE("Zero particles or one particle can be partitioned") {
  check_partition({}, 0, 0, 5);
  check_partition({1, 2}, 1, 1, 5);
  check_partition({7}, 0, 1, 5);
  check_partition({3}, 0, 1, 5);
}

TEST_CASE("Random keys are partitioned whatever the cut") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<int> keys(random() % 40);
    for (int& k : keys) k = static_cast<int>(random() % 7);
    const Count begin = keys.empty() ? 0 : random() % keys.size();
    const Count end = begin + (keys.empty() ? 0 : random() % (keys.size() - begin + 1));
    check_partition(keys, begin, end, static_cast<int>(random() % 8) - 1);
  }
}

}  // namespace
}  // namespace copse::test
