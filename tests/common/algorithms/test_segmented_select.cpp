#include "hostile_keys.hpp"
#include "on_each_backend.hpp"
#include <copse/algorithms/segmented_select.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

namespace copse::test {
namespace {

/// Oracle: sort the segment. Returns the number of segments whose answer differs.
template <class Space, class Key>
int wrong_answers(const Space& space, const std::vector<Key>& keys,
                  const std::vector<Segment>& segments, const std::vector<Count>& ranks) {
  using Memory = typename Space::memory_space;
  const auto device_keys = to_backend<Space>(keys);
  const auto device_segments = to_backend<Space>(segments);
  const auto device_ranks = to_backend<Space>(ranks);
  Selection<Memory, Key> result("copse::test::result", segments.size());
  Workspace<Memory> workspace;
  segmented_select(space, PlainKeys<Key>{device_keys.data()}, device_segments, device_ranks,
                   Count{keys.size()}, result, workspace);
  const auto found = to_host(result);
  int wrong = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    if (ranks[s] == 0) continue;
    std::vector<Key> sorted(keys.begin() + segments[s].begin, keys.begin() + segments[s].end);
    std::sort(sorted.begin(), sorted.end());
    const Key expected = sorted[ranks[s] - 1];
    const auto range = std::equal_range(sorted.begin(), sorted.end(), expected);
    wrong += found[s].key != expected ||
             found[s].below != static_cast<Count>(range.first - sorted.begin()) ||
             found[s].equal != static_cast<Count>(range.second - range.first);
  }
  return wrong;
}

std::vector<Count> ranks_at(const std::vector<Segment>& segments, double fraction) {
  std::vector<Count> ranks;
  for (const Segment& s : segments)
    ranks.push_back(s.size() == 0
                        ? 0
                        : std::clamp<Count>(static_cast<Count>(fraction * s.size()), 1, s.size()));
  return ranks;
}

TEST_CASE("Selection finds the key at the rank in sorted order, and its ties") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : key_kinds())
      for (std::size_t n : {1, 2, 63, 4096, 4097, 40000, 300000})
        for (double fraction : {0.0, 0.01, 0.5, 2.0 / 3, 1.0}) {
          INFO(backend_name<Space>() << ", " << kind << ", n = " << n << ", at " << fraction);
          const auto keys = make_keys<std::uint32_t>(kind, n);
          const std::vector<Segment> whole{{0, n}};
          CHECK(wrong_answers(space, keys, whole, ranks_at(whole, fraction)) == 0);
        }
  });
}

TEST_CASE("Selection handles 64-bit keys") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : key_kinds()) {
      INFO(backend_name<Space>() << ", " << kind);
      const auto keys = make_keys<std::uint64_t>(kind, 100000);
      const auto segments = cut_at(keys.size(), {0.1, 0.9});
      CHECK(wrong_answers(space, keys, segments, ranks_at(segments, 0.5)) == 0);
    }
  });
}

TEST_CASE("Selection handles empty, single-row, small and large segments in one call") {
  for_each_backend([]<class Space>(Space space) {
    for (const std::string& kind : key_kinds()) {
      INFO(backend_name<Space>() << ", " << kind);
      const auto keys = make_keys<std::uint32_t>(kind, 200000);
      const auto segments = cut_at(keys.size(), {0, 0, 0.000005, 0.00001, 0.01, 0.01, 0.3, 0.31});
      CHECK(wrong_answers(space, keys, segments, ranks_at(segments, 0.4)) == 0);
    }
  });
}

TEST_CASE("Selection skips segments of rank zero and ignores rows between segments") {
  for_each_backend([]<class Space>(Space space) {
    const auto keys = make_keys<std::uint32_t>("random", 50000);
    const std::vector<Segment> segments{{10, 20000}, {20000, 20000}, {30000, 49000}};
    CHECK(wrong_answers(space, keys, segments, {0, 0, 9000}) == 0);
    CHECK(wrong_answers(space, keys, segments, {7, 0, 0}) == 0);
    CHECK(wrong_answers(space, keys, segments, {0, 0, 0}) == 0);
  });
}

TEST_CASE("Selection handles a million segments at once") {
  for_each_backend([]<class Space>(Space space) {
    const std::size_t n = 1000000;
    const auto keys = make_keys<std::uint32_t>("random", 3 * n);
    std::vector<Segment> segments;
    for (Count s = 0; s < n; ++s) segments.push_back({3 * s, 3 * s + 3});
    CHECK(wrong_answers(space, keys, segments, std::vector<Count>(n, 2)) == 0);
  });
}

TEST_CASE("Selection of no segments does nothing") {
  for_each_backend([]<class Space>(Space space) {
    CHECK(wrong_answers(space, std::vector<std::uint32_t>{}, {}, {}) == 0);
  });
}

}  // namespace
}  // namespace copse::test
