#include "hostile_keys.hpp"
#include <copse/algorithms/select_in_cache.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace copse::test {
namespace {

template <class Key>
void check_select(const std::string& kind, Count n) {
  const std::vector<Key> keys = make_keys<Key>(kind, n);
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Key> scratch(n + mask_rows);
  for (Count rank : {Count{1}, Count{2}, n / 3, n / 2, n - 1, n}) {
    if (rank < 1 || rank > n) continue;
    INFO(kind << ", " << n << " keys, rank " << rank);
    const Selected<Key> found = select_in_cache(keys.data(), n, rank, scratch.data());
    const Key key = sorted[rank - 1];
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), key);
    CHECK(found.key == key);
    CHECK(found.below == static_cast<Count>(first - sorted.begin()));
    CHECK(found.equal == static_cast<Count>(last - first));
  }
}

TEST_CASE("The selected key is the one at the rank in sorted order") {
  for (const std::string& kind : key_kinds())
    for (Count n : {1, 2, 15, 16, 17, 40, 511, 512, 513, 5000, 70000}) {
      check_select<std::uint32_t>(kind, n);
      check_select<std::uint64_t>(kind, n);
    }
}

}  // namespace
}  // namespace copse::test
