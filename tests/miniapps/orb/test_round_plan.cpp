// Oracles: sweeps counted level by level; every division of the levels into rounds.
#include <copse/tree/orb_policy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <orb/fused/round_plan.hpp>
#include <vector>

namespace copse::test {
namespace fused = orb::fused;
namespace {

/// Number of sweeps of the given rounds, if the first sweep can cut `certain` levels.
int sweeps_of(const std::vector<int>& rounds, int certain) {
  int sweeps = 0;
  for (int levels : rounds)
    while (levels > 0) {
      const int cut = std::min(levels, certain);
      levels -= cut;
      certain = certain == cut ? 3 : certain - cut;
      ++sweeps;
    }
  return sweeps;
}

/// The minimum number of sweeps over all divisions of `left` levels into `rounds` rounds of at most
/// six.
int fewest_sweeps(int left, int rounds, int certain, std::vector<int>& before) {
  if (rounds == 1) {
    if (left > 6) return 1000;
    before.push_back(left);
    const int sweeps = sweeps_of(before, certain);
    before.pop_back();
    return sweeps;
  }
  int fewest = 1000;
  for (int here = 1; here <= std::min(6, left - 1); ++here) {
    before.push_back(here);
    fewest = std::min(fewest, fewest_sweeps(left - here, rounds - 1, certain, before));
    before.pop_back();
  }
  return fewest;
}

TEST_CASE("The number of rounds is minimal, with the fewest sweeps of all divisions") {
  for (int levels = 1; levels <= 20; ++levels)
    for (int certain = 1; certain <= 3; ++certain) {
      INFO(levels << " levels, the first sweep cuts " << certain);
      const int rounds = (levels + 5) / 6;
      std::vector<int> planned;
      int next = certain;
      for (int done = 0; done < levels;) {
        const int here = fused::levels_of_next_round(Count{1} << 40, levels, done, next, 1);
        REQUIRE(here >= 1);
        REQUIRE(here <= 6);
        planned.push_back(here);
        next = fused::certain_after_round(here, next);
        done += here;
      }
      std::vector<int> none;
      const int fewest = fewest_sweeps(levels, rounds, certain, none);
      CHECK(static_cast<int>(planned.size()) == rounds);
      CHECK(sweeps_of(planned, certain) == fewest);
      if (rounds > 1) CHECK(fused::plan_rounds(levels, certain).sweeps == fewest);
    }
}

TEST_CASE("Half a cube has 11 levels in rounds of 5 and 6") {
  CHECK(fused::plan_rounds(12, 3).levels == 6);
  CHECK(fused::plan_rounds(11, 3).levels == 6);
  CHECK(fused::plan_rounds(11, 2).levels == 5);
  CHECK(fused::plan_rounds(11, 2).sweeps == 4);
  CHECK(fused::plan_rounds(10, 1).levels == 4);
}

TEST_CASE("Rounds for which the cells become too small are not planned") {
  // After five levels cells have 2^11 rows.
  CHECK(fused::levels_of_next_round(Count{1} << 16, 11, 0, 2, Count{1} << 12) == 6);
  CHECK(fused::levels_of_next_round(Count{1} << 16, 11, 0, 2, Count{1} << 11) == 5);
}

/// Levels that rounds cut before their cells become too small.
template <class Next>
int levels_in_rounds(Count rows, int levels, const Next& next) {
  int done = 0;
  while (done < levels && rows >> done >= 1) done += next(done);
  return done;
}

TEST_CASE("A plan leaves no more single levels than equal rounds would") {
  for (int levels = 1; levels <= 24; ++levels)
    for (int bits = 0; bits <= 24; ++bits)
      for (int certain = 1; certain <= 3; ++certain) {
        INFO(levels << " levels, 2^" << bits << " rows, the first sweep cuts " << certain);
        const Count rows = Count{1} << bits;
        int now = certain;
        const int planned = levels_in_rounds(rows, levels, [&](int done) {
          const int here = fused::levels_of_next_round(rows, levels, done, now, 1);
          now = fused::certain_after_round(here, now);
          return here;
        });
        const int alike = levels_in_rounds(
            rows, levels, [&](int done) { return fused::levels_of_round(levels - done); });
        CHECK(planned >= alike);
      }
}

int certain_of(Real x, Real y, Real z, AxisRule rule = AxisRule::longest) {
  OrbCell root;
  root.lower = {Real(-1), Real(2), Real(0)};
  root.upper = {root.lower[0] + x, root.lower[1] + y, root.lower[2] + z};
  return fused::certain_levels(OrbPolicy{LeafRule::complete, rule, 0}, root);
}

TEST_CASE(
    "A sweep of a cube is certain to cut three axes, a sweep of a part of a cube the remaining "
    "ones") {
  CHECK(certain_of(1, 1, 1) == 3);
  CHECK(certain_of(Real(0.5), 1, 1) == 2);
  CHECK(certain_of(Real(0.5), 1, Real(0.5)) == 1);
  CHECK(certain_of(1, 4, 1) == 2);
  CHECK(certain_of(1, 8, 1) == 3);
  CHECK(certain_of(0, 0, 0) == 3);  // all in one place: always the first axis
  CHECK(certain_of(Real(0.5), 1, Real(0.5), AxisRule::cyclic) == 3);
}

}  // namespace
}  // namespace copse::test
