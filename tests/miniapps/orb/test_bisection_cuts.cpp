/// Tests each error of [Rehmann 2022] algorithm 2 as printed; orb/cut/bracket.hpp lists them.

#include "variant_builds.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <orb/cut/bracket.hpp>

namespace copse::test {

using namespace orb;
namespace {

constexpr Real tiny = std::numeric_limits<Real>::denorm_min();

struct OneCut {
  Count left;
  Real cut;
  int steps;
};

/// Cuts particles on a line in [0, upper] once, for two leaves or the given number.
OneCut cut_line(const std::vector<Real>& keys, Count alpha = 0, Count max_steps = 0,
                std::uint32_t leaves = 2, Real upper = Real(1)) {
  Box<3> box = unit_box<3>();
  box.upper = {upper, upper / 2, upper / 2};
  const HostParticles input = particles_from(keys.size(), box, [&](Count i) {
    return std::array<Real, 3>{keys[i], 0, 0};
  });
  std::vector<OneCut> cuts;
  for_each_backend([&](const auto& space) {
    const auto built = build_as(space, input, {.leaves = leaves, .box = box},
                                {.cut = CutMethod::bisection,
                                 .placement = Placement::device,
                                 .alpha = alpha,
                                 .max_steps = max_steps});
    cuts.push_back(
        {built.tree.cells(2).end, built.tree.cells(1).cut, built.log.levels.at(0).iterations});
  });
  for (const OneCut& c : cuts) {
    CHECK(c.left == cuts[0].left);
    CHECK(c.cut == cuts[0].cut);
    CHECK(c.steps == cuts[0].steps);
  }
  return cuts[0];
}

TEST_CASE("The tolerance is relative to the left share of the particles, not to all of them") {
  // All ten particles are left of the first cut. The printed abs(nLeft - len) * percentage is 0
  // there, so it would stop immediately and send all of them left.
  std::vector<Real> keys;
  for (int i = 1; i <= 10; ++i) keys.push_back(Real(i) / 64);
  const OneCut c = cut_line(keys, 1);
  CHECK(c.left >= 4);
  CHECK(c.left <= 6);
  CHECK(c.steps > 1);
}

TEST_CASE("A cut with the right count ends the search even without a tolerance") {
  // Three leaves: two thirds of nine go left. The printed `< 0` would never be true.
  std::vector<Real> keys;
  for (int i = 1; i <= 9; ++i) keys.push_back(Real(i) / 16);
  const OneCut c = cut_line(keys, 0, 0, 3);
  CHECK(c.left == 6);
  CHECK(c.steps <= 4);
}

TEST_CASE("A key that equals the cut counts as left, where the partition puts it") {
  // The first cut is 0.5, a key. Two of four are <= 0.5; the printed `<` would count one and
  // continue.
  const OneCut c = cut_line({Real(0.25), Real(0.5), Real(0.75), Real(1)});
  CHECK(c.left == 2);
  CHECK(c.steps == 1);
}

TEST_CASE("Floating-point bounds take more halvings than the number has bits, and still end") {
  // Two adjacent denormals: 2^-149 from the lower face takes 149 halvings of [0, 1].
  const std::vector<Real> keys{tiny, 2 * tiny};
  if constexpr (sizeof(Real) == 4) {
    CHECK(cut_line(keys, 0, 32).left == 2);  // the thesis' p does not separate them
    const OneCut c = cut_line(keys);
    CHECK(c.left == 1);
    CHECK(c.cut == tiny);
    CHECK(c.steps > 140);
    CHECK(c.steps <= 151);
  }
}

TEST_CASE("The search ends when the bounds are neighbouring numbers, even if no count is right") {
  // All keys equal: nLeft is 0 or 8, never 4. The middle of adjacent numbers rounds to one of them.
  const OneCut c = cut_line(std::vector<Real>(8, Real(0.3)));
  CHECK(c.left == 0);
  CHECK(c.steps <= 60);
  // At the lower face the left side cannot be empty.
  const OneCut on_face = cut_line(std::vector<Real>(8, Real(0)));
  CHECK(on_face.left == 8);
}

TEST_CASE("The largest finite numbers do not overflow the bounds") {
  constexpr Real largest = std::numeric_limits<Real>::max();
  const OneCut c = cut_line({Real(0), largest / 4, largest / 2, largest}, 0, 0, 2, largest);
  CHECK(c.left == 2);
}

TEST_CASE("A bracket proposes only numbers strictly between its bounds") {
  const auto bracket = [](Real low, Real high) {
    return CutBracket{ordered_key(low), ordered_key(high), 0, 1};
  };
  Real cut = Real(0);
  CHECK(bracket(Real(0), Real(1)).middle(cut));
  CHECK(cut == Real(0.5));
  CHECK(bracket(Real(0), 2 * tiny).middle(cut));
  CHECK(cut == tiny);
  CHECK_FALSE(bracket(Real(0), tiny).middle(cut));
  CHECK_FALSE(bracket(-tiny, Real(0)).middle(cut));
  CHECK_FALSE(bracket(Real(1), std::nextafter(Real(1), Real(2))).middle(cut));
  // Initially the lower bound is just below the lower face, so the face itself can be tried.
  for (Real face : {Real(0), Real(1), -tiny, std::numeric_limits<Real>::lowest()}) {
    CutBracket b = bracket(face, std::nextafter(face, Real(2)));
    b.low -= 1;
    REQUIRE(b.middle(cut));
    CHECK(cut == face);
  }
}

}  // namespace
}  // namespace copse::test
