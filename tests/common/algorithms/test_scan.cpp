// Offsets of counts on every backend against a running sum.
#include "on_each_backend.hpp"
#include <copse/algorithms/scan.hpp>
#include <copse/backend/split_mix.hpp>

#include <catch2/catch_test_macros.hpp>

#include <type_traits>
#include <utility>
#include <vector>

namespace copse::test {
namespace {

template <class From, class To>
void compare_scans(Count n) {
  CAPTURE(n, sizeof(From), sizeof(To));
  std::vector<From> counts(n);
  std::vector<To> expected(n + 1);
  for (Count i = 0; i < n; ++i) {
    counts[i] = static_cast<From>(split_mix(i) % 5);
    expected[i + 1] = expected[i] + counts[i];
  }
  for_each_backend([&](const auto& space) {
    using Space = std::decay_t<decltype(space)>;
    const auto compare = [&](auto&... workspace) {
      const auto to = to_backend<Space>(std::vector<To>(n + 1, To{77}));
      exclusive_scan(space, to_backend<Space>(counts), to, workspace...);
      CHECK(to_host(to) == expected);
      if constexpr (std::is_same_v<From, To>) {
        auto padded = counts;
        padded.push_back(99);
        const auto both = to_backend<Space>(padded);
        exclusive_scan(space, Kokkos::subview(both, std::pair<Count, Count>(0, n)), both,
                       workspace...);
        CHECK(to_host(both) == expected);
      }
    };
    compare();
    Workspace<typename Space::memory_space> workspace;
    if constexpr (std::is_same_v<From, LocalIndex> && std::is_same_v<To, LocalIndex>)
      compare(workspace);
  });
}

TEST_CASE("Offsets are the running sum of counts, in place too", "[algorithms]") {
  static_assert(600000 >= least_vendor_scan);
  for (const Count n : {0, 1, 2, 31, 1000, 4097, 600000}) {
    compare_scans<LocalIndex, LocalIndex>(n);
    compare_scans<LocalIndex, Count>(n);
    compare_scans<Count, Count>(n);
  }
}

}  // namespace
}  // namespace copse::test
