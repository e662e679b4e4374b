#include "hostile_keys.hpp"
#include "on_each_backend.hpp"
#include <copse/algorithms/segmented_histogram.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread_team.hpp>

namespace copse::test {
namespace {

template <class Key>
struct GivenPrefix {
  const Key* prefix;
  KOKKOS_FUNCTION Key operator()(Count s) const { return prefix[s]; }
};

/// The definition, evaluated row by row.
template <class Key>
std::vector<Count> counted_by_hand(const std::vector<Key>& keys,
                                   const std::vector<std::uint32_t>& weights,
                                   const std::vector<Segment>& segments,
                                   const std::vector<Key>& prefix, int known, int bits) {
  std::vector<Count> bins(segments.size() << bits, 0);
  constexpr int key_bits = 8 * sizeof(Key);
  const auto top = [&](Key key, int n) { return n == 0 ? Key{0} : Key(key >> (key_bits - n)); };
  for (std::size_t s = 0; s < segments.size(); ++s)
    for (Count i = segments[s].begin; i < segments[s].end; ++i)
      if (top(keys[i], known) == top(prefix[s], known))
        bins[(s << bits) + top(keys[i], known + bits) % (Count{1} << bits)] +=
            weights.empty() ? 1 : weights[i];
  return bins;
}

template <class Key>
void check_every_digit(const std::vector<Key>& keys, const std::vector<std::uint32_t>& weights,
                       const std::vector<Segment>& segments) {
  std::vector<Key> prefix;
  for (const Segment& s : segments)
    prefix.push_back(s.size() > 0 ? keys[s.begin + s.size() / 2] : Key{0});
  constexpr int key_bits = 8 * sizeof(Key);
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    const auto device_keys = to_backend<Space>(keys);
    const auto device_weights = to_backend<Space>(weights);
    const auto device_prefix = to_backend<Space>(prefix);
    Workspace<Memory> workspace;
    const auto tiles = make_tiles(space, to_backend<Space>(segments), Count{keys.size()},
                                  segments.size(), workspace, "test");
    for (const auto& [known, bits] :
         {std::pair{0, 11}, {11, 11}, {22, 10}, {3, 1}, {0, 1}, {key_bits - 4, 4}, {key_bits, 0}}) {
      INFO(backend_name<Space>() << ", digit of " << bits << " after " << known);
      Kokkos::View<Count*, Kokkos::LayoutLeft, Memory> bins("copse::test::bins", segments.size()
                                                                                     << bits);
      Kokkos::deep_copy(bins, 77);  // old contents must not count
      const KeyDigit<Key> digit{known, bits};
      const PlainKeys<Key> plain{device_keys.data()};
      const GivenPrefix<Key> given{device_prefix.data()};
      if (weights.empty())
        segmented_histogram(space, plain, tiles, digit, given, UnitWeight{}, bins);
      else
        segmented_histogram(space, plain, tiles, digit, given, IntegerWeight{device_weights.data()},
                            bins);
      CHECK(to_host(bins) == counted_by_hand(keys, weights, segments, prefix, known, bits));
    }
  });
}

TEST_CASE("A histogram equals the counts of a loop over the rows, digit by digit") {
  for (const std::string& kind : key_kinds()) {
    INFO(kind);
    const auto keys = make_keys<std::uint32_t>(kind, 30000);
    check_every_digit<std::uint32_t>(keys, {}, cut_at(keys.size(), {0, 0, 0.1, 0.1001, 0.8}));
  }
}

TEST_CASE("A thread of a host counts several tiles, of one segment or of two") {
  const auto keys = make_keys<std::uint32_t>("duplicates", 300000);
  check_every_digit<std::uint32_t>(keys, {}, cut_at(keys.size(), {0.2, 0.2, 0.5, 0.501}));
}

TEST_CASE("A histogram of weights sums them beyond 32 bits") {
  const auto keys = make_keys<std::uint32_t>("duplicates", 30000);
  std::vector<std::uint32_t> weights(keys.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = i % 3 == 0 ? 1 : ~static_cast<std::uint32_t>(i);
  check_every_digit(keys, weights, cut_at(keys.size(), {0.3, 0.31}));
}

TEST_CASE("64-bit keys have digits too") {
  const auto keys = make_keys<std::uint64_t>("skewed", 10000);
  check_every_digit<std::uint64_t>(keys, {}, cut_at(keys.size(), {0.5}));
}

TEST_CASE("Each of a million segments has its own histogram") {
  constexpr Count segments = 1000000;
  constexpr int bits = 4;
  const auto keys = make_keys<std::uint32_t>("random", 2 * segments);
  std::vector<Segment> cut(segments);
  constexpr Count back[3] = {0, 2, 1};  // so that they have 0 or 3 rows
  for (Count s = 0; s < segments; ++s)
    cut[s] = {2 * s - back[s % 3],
              s + 1 < segments ? 2 * s + 2 - back[(s + 1) % 3] : Count{keys.size()}};
  const std::vector<std::uint32_t> prefix(segments, 0);
  const auto expected = counted_by_hand<std::uint32_t>(keys, {}, cut, prefix, 0, bits);
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    using Memory = typename Space::memory_space;
    const auto device_keys = to_backend<Space>(keys);
    const auto device_prefix = to_backend<Space>(prefix);
    Workspace<Memory> workspace;
    const auto tiles =
        make_tiles(space, to_backend<Space>(cut), Count{keys.size()}, segments, workspace, "test");
    Kokkos::View<Count*, Kokkos::LayoutLeft, Memory> bins("copse::test::bins", segments << bits);
    segmented_histogram(space, PlainKeys<std::uint32_t>{device_keys.data()}, tiles,
                        KeyDigit<std::uint32_t>{0, bits},
                        GivenPrefix<std::uint32_t>{device_prefix.data()}, UnitWeight{}, bins);
    CHECK((to_host(bins) == expected));
  });
}

TEST_CASE("Rows outside the segments do not count") {
  const auto keys = make_keys<std::uint32_t>("random", 1000);
  check_every_digit<std::uint32_t>(keys, {}, {{10, 400}, {500, 500}, {700, 900}});
}

TEST_CASE("A device team counts all rows of a tile") {
  const auto keys = make_keys<std::uint32_t>("duplicates", 9000);
  const std::vector<std::uint32_t> prefix(5, keys[4]);
  using Prefix = GivenPrefix<std::uint32_t>;
  // Tiles of one row, of a batch plus one row, and of 4096 rows plus a remainder.
  const std::vector<Segment> segments = {
      {1, 2}, {2, 2051}, {2051, 2051}, {2051, 8999}, {8999, 9000}};
  Kokkos::Serial space;
  Workspace<Kokkos::HostSpace> workspace;
  const auto tiles = make_tiles(space, to_backend<Kokkos::Serial>(segments), Count{keys.size()},
                                segments.size(), workspace, "test");
  for (const KeyDigit<std::uint32_t> digit : {KeyDigit<std::uint32_t>{0, 11}, {24, 8}}) {
    Kokkos::View<Count*, Kokkos::LayoutLeft, Kokkos::HostSpace> bins("copse::test::bins",
                                                                     segments.size() << digit.bits);
    const detail::HistogramTile<Kokkos::Serial, PlainKeys<std::uint32_t>, std::uint32_t, Prefix,
                                UnitWeight>
        kernel{{keys.data()}, tiles, digit, {prefix.data()}, {}, bins};
    run_by_thread_teams(static_cast<int>(tiles.bound), kernel.threads,
                        decltype(kernel)::Bins::shmem_size(kernel.bins()), kernel);
    CHECK(to_host(bins) == counted_by_hand(keys, {}, segments, prefix, digit.known, digit.bits));
  }
}

TEST_CASE("Digits are as wide as memory allows, and at least four bits") {
  CHECK(histogram_bits(1, 32) == 11);
  CHECK(histogram_bits(2048, 32) == 11);
  CHECK(histogram_bits(4096, 32) == 8);  // 10 bits fit, but four digits need only eight
  CHECK(histogram_bits(Count{1} << 17, 32) == 5);
  CHECK(histogram_bits(Count{1} << 28, 32) == 4);
  CHECK(histogram_bits(1, 64) == 11);
}

}  // namespace
}  // namespace copse::test
