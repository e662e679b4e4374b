#include "hostile_keys.hpp"
#include "on_each_backend.hpp"
#include <copse/algorithms/radix_sort.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

namespace copse::test {
namespace {

/// Oracle: std::stable_sort of the row numbers by key.
template <class Space, class Key>
bool sorts_stably(const Space& space, const std::vector<Key>& keys, int key_bits) {
  std::vector<LocalIndex> rows(keys.size());
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  const auto d_keys = to_backend<Space>(keys);
  const auto d_rows = to_backend<Space>(rows);
  Workspace<typename Space::memory_space> workspace;
  sort_by_key(space, d_keys, d_rows, workspace, key_bits);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](LocalIndex a, LocalIndex b) { return keys[a] < keys[b]; });
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  return to_host(d_rows) == rows && to_host(d_keys) == sorted;
}

TEST_CASE("Radix sort equals a stable comparison sort") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : key_kinds())
      for (std::size_t n : {0, 1, 2, 1000, 16384, 200001}) {
        INFO(backend_name<Space>() << ", " << kind << ", n = " << n);
        CHECK(sorts_stably(space, make_keys<std::uint32_t>(kind, n), 32));
        CHECK(sorts_stably(space, make_keys<std::uint64_t>(kind, n), 64));
      }
  });
}

// More rows than a thread sorts alone, split twice: into buckets that hold a few rows, half of
// them, or many equal keys.
TEST_CASE("Radix sort splits large buckets again") {
  constexpr std::size_t n = 300000;
  std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("random", n);
  for (std::size_t i = 0; i < n; ++i)
    if (i % 2 == 0)
      keys[i] = (std::uint64_t{0x123} << 28) | (keys[i] % (i % 3 == 0 ? 5 : 100000));
    else
      keys[i] &= 0xfffffffff;
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    CHECK(sorts_stably(space, keys, 37));
  });
}

TEST_CASE("Radix sort needs only the passes of the bits in use") {
  for_each_backend([]<class Space>(Space space) {
    auto keys = make_keys<std::uint64_t>("random", 50000);
    for (auto& k : keys) k &= 0x7ffff;
    CHECK(sorts_stably(space, keys, 19));
  });
}

}  // namespace
}  // namespace copse::test
