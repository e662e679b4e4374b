#include "hostile_keys.hpp"
#include "on_each_backend.hpp"
#include <copse/algorithms/segmented_partition.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

namespace copse::test {
namespace {

constexpr std::uint8_t untouched = 255;

/// Oracle: std::stable_partition of row numbers, segment by segment. Moves a 4-byte, an 8-byte and
/// a 1-byte column. Returns the number of differences.
template <class Space, class Key>
int differences(const Space& space, const std::vector<Key>& keys,
                const std::vector<Segment>& segments, const std::vector<Key>& thresholds) {
  using Memory = typename Space::memory_space;
  const std::size_t n = keys.size();
  std::vector<LocalIndex> rows(n);
  std::iota(rows.begin(), rows.end(), LocalIndex{0});
  std::vector<double> doubles(n);
  std::vector<std::uint8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    doubles[i] = 0.5 * static_cast<double>(i);
    bytes[i] = static_cast<std::uint8_t>(i % 251);
  }

  const auto d_keys = to_backend<Space>(keys);
  const auto d_segments = to_backend<Space>(segments);
  const auto d_thresholds = to_backend<Space>(thresholds);
  const auto d_rows = to_backend<Space>(rows);
  const auto d_doubles = to_backend<Space>(doubles);
  const auto d_bytes = to_backend<Space>(bytes);
  const auto to_rows = to_backend<Space>(std::vector<LocalIndex>(n, ~LocalIndex{0}));
  const auto to_doubles = to_backend<Space>(std::vector<double>(n, -1.0));
  const auto to_bytes = to_backend<Space>(std::vector<std::uint8_t>(n, untouched));
  Workspace<Memory> workspace;
  const PlainKeys<Key> key{d_keys.data()};
  const auto plan = plan_partition(space, key, d_segments, d_thresholds, Count{n}, workspace);
  run_partition(
      space, key, plan,
      with_column(with_column(with_column(no_columns(), d_rows, to_rows), d_doubles, to_doubles),
                  d_bytes, to_bytes));

  const auto moved = to_host(to_rows);
  const auto moved_doubles = to_host(to_doubles);
  const auto moved_bytes = to_host(to_bytes);
  const auto summary = to_host(plan.summary);
  std::vector<LocalIndex> expected(n, ~LocalIndex{0});
  int wrong = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const auto begin = expected.begin() + segments[s].begin;
    const auto end = expected.begin() + segments[s].end;
    std::iota(begin, end, static_cast<LocalIndex>(segments[s].begin));
    const auto goes_left = [&](LocalIndex i) { return keys[i] <= thresholds[s]; };
    const auto middle = std::stable_partition(begin, end, goes_left);
    Key left_max = 0, right_min = ~Key{0};
    for (auto i = begin; i != middle; ++i) left_max = std::max(left_max, keys[*i]);
    for (auto i = middle; i != end; ++i) right_min = std::min(right_min, keys[*i]);
    wrong += summary[s].left != static_cast<Count>(middle - begin) ||
             summary[s].left_max != left_max || summary[s].right_min != right_min;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const LocalIndex row = expected[i];
    wrong += moved[i] != row;
    wrong += moved_doubles[i] != (row == ~LocalIndex{0} ? -1.0 : doubles[row]);
    wrong += moved_bytes[i] != (row == ~LocalIndex{0} ? untouched : bytes[row]);
  }
  return wrong;
}

TEST_CASE("Partition is stable, moves every column and reports the keys next to the cut") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : key_kinds())
      for (std::size_t n : {1, 31, 32, 257, 4095, 4096, 4097, 100000}) {
        INFO(backend_name<Space>() << ", " << kind << ", n = " << n);
        const auto keys = make_keys<std::uint32_t>(kind, n);
        CHECK(differences(space, keys, {{0, n}}, {keys[n / 2]}) == 0);
      }
  });
}

TEST_CASE("Partition handles 64-bit keys") {
  for_each_backend([]<class Space>(Space space) {
    const auto keys = make_keys<std::uint64_t>("random", 50000);
    CHECK(differences(space, keys, {{0, 50000}}, {keys[77]}) == 0);
  });
}

TEST_CASE("A threshold below every key sends all rows right, one above sends all left") {
  for_each_backend([]<class Space>(Space space) {
    auto keys = make_keys<std::uint32_t>("random", 10000);
    for (auto& k : keys) k |= 1u;
    CHECK(differences(space, keys, {{0, 10000}}, {0u}) == 0);
    CHECK(differences(space, keys, {{0, 10000}}, {~0u}) == 0);
  });
}

TEST_CASE(
    "Partition handles empty, single-row, small and large segments and leaves gaps untouched") {
  for_each_backend([]<class Space>(Space space) {
    const auto keys = make_keys<std::uint32_t>("random", 60000);
    const std::vector<Segment> segments{{0, 0},         {0, 1},        {1, 30},
                                        {30, 30},       {100, 20000},  {20000, 24096},
                                        {24096, 24097}, {30000, 60000}};
    std::vector<std::uint32_t> thresholds;
    for (std::size_t s = 0; s < segments.size(); ++s) thresholds.push_back(keys[17 * s]);
    CHECK(differences(space, keys, segments, thresholds) == 0);
  });
}

TEST_CASE("Partition handles a million segments at once") {
  for_each_backend([]<class Space>(Space space) {
    const std::size_t n = 1000000;
    const auto keys = make_keys<std::uint32_t>("random", 2 * n);
    std::vector<Segment> segments;
    for (Count s = 0; s < n; ++s) segments.push_back({2 * s, 2 * s + 2});
    CHECK(differences(space, keys, segments, std::vector<std::uint32_t>(n, ~0u / 4)) == 0);
  });
}

TEST_CASE("Partition of no segments does nothing") {
  for_each_backend([]<class Space>(Space space) {
    CHECK(differences(space, std::vector<std::uint32_t>{}, {}, {}) == 0);
  });
}

}  // namespace
}  // namespace copse::test
