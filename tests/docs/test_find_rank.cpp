/// Versions of finding a rank against std::nth_element.

#include <copse/algorithms/ordered_key.hpp>
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <find_rank.hpp>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace copse::book {
namespace {

using HostKeys = Kokkos::View<Key*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

HostKeys make_keys(Count n, const std::function<Key(Count)>& key) {
  HostKeys keys("copse::book::keys", n);
  for (Count i = 0; i < n; ++i) keys(i) = key(i);
  return keys;
}

/// First, last, middle and some others, each once.
std::set<Count> some_ranks(Count n) {
  return {0, n / 1000, n / 3, (n - 1) / 2, n - n / 9 - 1, n - 1};
}

void check_all_versions(const HostKeys& host) {
  std::vector<Key> sorted(host.data(), host.data() + host.extent(0));
  for_each_backend([&](auto space) {
    using Space = decltype(space);
    const RankKeys<Space> keys =
        Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, host);
    RankWorkspace<Space> workspace;
    for (const Count rank : some_ranks(keys.extent(0))) {
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank),
                       sorted.end());
      const Key expected = sorted[rank];
      INFO(backend_name<Space>() << ", rank " << rank << " of " << keys.extent(0));
      CHECK(find_rank_by_sorting(space, keys, rank, workspace) == expected);
      CHECK(find_rank_by_digits(space, keys, rank, workspace) == expected);
      CHECK(find_rank_by_sample(space, keys, rank, workspace) == expected);
      if constexpr (runs_on_host<Space>)
        CHECK(find_rank_by_partitions(keys, rank, workspace) == expected);
      const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, keys);
      CHECK(std::equal(host.data(), host.data() + host.extent(0), after.data()));
    }
  });
}

TEST_CASE("Every version of finding a rank finds what std::nth_element finds, for any number") {
  std::mt19937 random(10);
  for (const Count n : {1U, 2U, 3U, 4095U, 4096U, 4097U, 70001U})
    check_all_versions(make_keys(n, [&](Count) { return static_cast<Key>(random()); }));
}

TEST_CASE("Finding a rank in a million keys that are uniform, clustered, in order, equal") {
  constexpr Count n = (Count{1} << 20) + 3;  // enough for version 4 to take samples everywhere
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::normal_distribution<float> normal(0.0F, 1e-3F);
  const std::pair<std::string, std::function<Key(Count)>> inputs[] = {
      {"uniform floats of both signs", [&](Count) { return ordered_key(uniform(random)); }},
      {"clustered floats", [&](Count i) { return ordered_key(normal(random) + float(i % 3)); }},
      {"ascending", [](Count i) { return static_cast<Key>(i); }},
      {"descending", [](Count i) { return static_cast<Key>(3 * (n - i)); }},
      {"all equal", [](Count) { return Key{123456}; }},
      {"all zero", [](Count) { return Key{0}; }},
      {"all the largest", [](Count) { return ~Key{0}; }},
      {"two values", [](Count i) { return static_cast<Key>(i % 2 == 0 ? 7 : ~Key{0}); }},
      {"few values", [&](Count) { return static_cast<Key>(random() % 5); }},
  };
  for (const auto& input : inputs) {
    INFO(input.first);
    check_all_versions(make_keys(n, input.second));
  }
}

TEST_CASE("A bracket that misses, or holds nearly all keys, changes nothing") {
  constexpr Count n = (Count{1} << 20) + 3;
  std::mt19937 random(12);
  HostKeys host = make_keys(n, [&](Count) { return static_cast<Key>(random()); });
  std::vector<Key> sorted(host.data(), host.data() + n);
  std::sort(sorted.begin(), sorted.end());
  for_each_backend([&](auto space) {
    using Space = decltype(space);
    const RankKeys<Space> keys =
        Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, host);
    RankWorkspace<Space> workspace;
    for (const double deviations : {0.0, 0.1, 1000.0})
      for (const Count rank : some_ranks(n))
        CHECK(find_rank_by_sample(space, keys, rank, workspace, deviations) == sorted[rank]);
  });
}

}  // namespace
}  // namespace copse::book
