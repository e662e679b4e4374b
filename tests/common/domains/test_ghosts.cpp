// A single rank emulates all ranks. Oracle: the distances of all pairs of particles.
#include "clustered_points.hpp"
#include "periodic_reach.hpp"
#include <copse/backend/backends.hpp>
#include <copse/domains/ghosts.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>

namespace copse::test {
namespace {

/// Particles of `count` domains: slabs along x, the last one empty.
std::vector<std::vector<Row>> slabs(int count, std::size_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  std::vector<std::vector<Row>> domains(count);
  for (std::size_t i = 0; i < n; ++i) {
    Row x{};
    for (Real& value : x) value = static_cast<Real>(anywhere(random));
    domains[static_cast<std::size_t>(x[0] * static_cast<Real>(count - 1))].push_back(x);
  }
  return domains;
}

TEST_CASE("Of two ranks exactly one receives ghosts, and no rank receives its own particles") {
  for (int a = 0; a < 20; ++a)
    for (int b = 0; b < 20; ++b)
      CHECK(static_cast<int>(gets_ghosts(a, b)) + static_cast<int>(gets_ghosts(b, a)) ==
            (a == b ? 0 : 1));
}

/// Checks that each rank's ghosts contain every particle with a friend on a rank that gets them,
/// once and in ascending order. Returns the number of ghosts.
Count check_ghosts(int ranks, std::size_t n, double length, bool periodic) {
  const auto domains = slabs(ranks, n);
  const PeriodicReach rule = reach_in(unit_box<3>(periodic), length);
  Count ghosts_in_all = 0;
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    std::vector<BoxBound<3>> bounds;
    std::vector<Points<3, Memory>> points;
    for (const auto& rows : domains) {
      points.push_back(Kokkos::create_mirror_view_and_copy(Memory{}, to_points(rows)));
      bounds.push_back(domain_bound(space, points.back()));
    }
    Workspace<Memory> workspace;
    ghosts_in_all = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto ghosts =
          select_ghosts(space, points[rank], bounds, rank, GhostSides::one, rule, workspace);
      const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, ghosts.rows);
      Count begin = 0;
      for (int other = 0; other < ranks; ++other) {
        const Count end = begin + ghosts.counts[other];
        const std::vector<LocalIndex> sent(rows.data() + begin, rows.data() + end);
        CHECK(std::is_sorted(sent.begin(), sent.end()));
        CHECK(std::adjacent_find(sent.begin(), sent.end()) == sent.end());
        if (!gets_ghosts(other, rank)) CHECK(sent.empty());
        int missed = 0;
        for (std::size_t i = 0; i < domains[rank].size() && gets_ghosts(other, rank); ++i)
          for (const Row& y : domains[other]) {
            Real sum = 0;
            for (int a = 0; a < 3; ++a) {
              const Real d = std::fabs(domains[rank][i][a] - y[a]);
              const Real near = std::min(d, rule.period[a] - d);
              sum = a == 0 ? near * near : std::fma(near, near, sum);
            }
            if (sum < rule.reach2)
              missed += !std::binary_search(sent.begin(), sent.end(), static_cast<LocalIndex>(i));
          }
        CHECK(missed == 0);
        begin = end;
      }
      CHECK(begin == rows.extent(0));
      ghosts_in_all += begin;
    }
  });
  return ghosts_in_all;
}

TEST_CASE(
    "Every particle with a friend on a receiving rank becomes a ghost there, in ascending order") {
  for (const bool periodic : {false, true}) {
    INFO("periodic " << periodic);
    const Count ghosts = check_ghosts(6, 9000, 0.1, periodic);
    // A layer half a slab thick between the five non-empty slabs, and no more.
    CHECK(ghosts > 1800);
    CHECK(ghosts < 7200);
  }
}

TEST_CASE("A particle may be needed by more ranks than a packet has lanes") {
  const auto domains = slabs(80, 1600);
  Count expected = 0;  // everything, for every non-empty domain
  for (int rank = 0; rank < 80; ++rank)
    for (int other = 0; other < 80; ++other)
      if (gets_ghosts(other, rank) && !domains[static_cast<std::size_t>(other)].empty())
        expected += domains[static_cast<std::size_t>(rank)].size();
  CHECK(check_ghosts(80, 1600, 2.0, false) == expected);
}

}  // namespace
}  // namespace copse::test
