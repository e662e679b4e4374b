// Oracle: std::set of the links of all ghosts.
#include "../../common/algorithms/on_each_backend.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fof/distributed/distinct_links.hpp>
#include <fof/distributed/fragments.hpp>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace copse::fof::test {
namespace {

using Link = std::tuple<GlobalId, GlobalId, int>;

template <class Memory>
GlobalLabels<Memory> to_memory(const std::vector<GlobalId>& values) {
  const GlobalLabels<Memory> view("copse::test::names", values.size());
  Kokkos::deep_copy(view, Kokkos::View<const GlobalId*, Kokkos::LayoutLeft, Kokkos::HostSpace>(
                              values.data(), values.size()));
  return view;
}

/// Ghosts of four ranks, one of which sends none, that refer to `names` fragments here and on each
/// rank.
void check(Count ghosts, GlobalId names) {
  std::mt19937_64 random(ghosts + names);
  const ExchangePlan::Side from =
      consecutive_pieces({ghosts / 3, 0, ghosts - ghosts / 3 - ghosts / 2, ghosts / 2});
  std::vector<GlobalId> mine, theirs;
  std::set<Link> expected;
  for (int rank = 0; rank < 4; ++rank)
    for (Count k = 0; k < from.counts[static_cast<std::size_t>(rank)]; ++k) {
      // Consecutive names, widely spaced names, and no fragment for every fifth ghost.
      const GlobalId here = random() % names;
      mine.push_back(here % 5 == 4 ? no_fragment : here % 2 == 0 ? here : here << 40);
      theirs.push_back((static_cast<GlobalId>(rank) << 32) + random() % names);
      if (mine.back() != no_fragment) expected.insert({mine.back(), theirs.back(), rank});
    }
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    Workspace<Memory> workspace;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto links = distinct_links(space, to_memory<Memory>(mine), to_memory<Memory>(theirs),
                                        from, workspace);
      std::set<Link> found;
      for (const FragmentLink& link : links) found.insert({link.mine, link.other, link.rank});
      CHECK(links.size() == found.size());
      CHECK(found == expected);
    }
  });
}

TEST_CASE("Every link of some ghosts is found once") {
  for (const Count ghosts : {0u, 1u, 2u, 1000u, 20000u})
    for (const GlobalId names : {1u, 3u, 10u, 100000u}) {
      INFO(ghosts << " ghosts, " << names << " names");
      check(ghosts, names);
    }
}

}  // namespace
}  // namespace copse::fof::test
