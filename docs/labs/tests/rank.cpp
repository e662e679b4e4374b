// Oracle: sorting.
#include "rank.hpp"

#include "lab.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace copse::labs {
namespace {

using KeyVector = std::vector<std::uint32_t>;

/// Keys that count their reads.
struct Counted {
  const KeyVector& keys;
  mutable std::size_t reads = 0;
  std::size_t size() const { return keys.size(); }
  std::uint32_t operator[](std::size_t i) const {
    ++reads;
    return keys[i];
  }
};

KeyVector keys_of(const std::string& kind, std::size_t n) {
  std::mt19937 random(2);
  KeyVector keys(n);
  for (std::uint32_t& key : keys) {
    key = static_cast<std::uint32_t>(random());
    if (kind == "equal") key = 7;
    if (kind == "few") key = key % 3 == 0 ? 0U : ~0U;
    if (kind == "close") key = 0x12345000U + key % 64;
  }
  return keys;
}

TEST_CASE("A rank is found as sorting finds it, in three reads of the keys") {
  for (const std::string kind : {"random", "equal", "few", "close"})
    for (const std::size_t n : {1U, 2U, 100U, 3000U}) {
      const KeyVector keys = keys_of(kind, n);
      KeyVector sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t rank = 0; rank < n; rank += 1 + n / 50) {
        INFO(kind << ", rank " << rank << " of " << n);
        const Counted counted{keys};
        CHECK(find_rank(counted, rank) == sorted[rank]);
        CHECK(counted.reads <= 3 * n);
      }
      CHECK(find_rank(Counted{keys}, n - 1) == sorted.back());
    }
}

TEST_CASE("copy passes of a rank on one thread", "[.measure]") {
  const KeyVector keys = keys_of("random", std::size_t{1} << 24);
  KeyVector sorted = keys;
  std::nth_element(sorted.begin(), sorted.begin() + (1 << 23), sorted.end());
  std::uint32_t median = 0;
  const std::span<const std::uint32_t> view(keys);
  const double seconds = fastest([&] { median = find_rank(view, std::size_t{1} << 23); });
  REQUIRE(median == sorted[1 << 23]);
  report("copy_passes", seconds / copy_pass(Kokkos::Serial{}, keys.size()), "passes");
}

}  // namespace
}  // namespace copse::labs
