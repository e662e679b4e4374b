/// \file
/// Tests the oracle itself against numbers printed in [Rehmann 2022] and hand-made cases.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include <copse/tree/orb_tree.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <limits>
#include <set>
#include <vector>

using namespace copse;
using namespace copse::test;

namespace {

std::set<LocalIndex> members(const ReferenceOrb& orb, std::size_t cell) {
  std::set<LocalIndex> ids;
  for (Count i = orb.tree.cells(cell).begin; i < orb.tree.cells(cell).end; ++i)
    ids.insert(orb.permutation(i));
  return ids;
}

HostParticles on_a_line(const std::vector<double>& x) {
  return particles_from(x.size(), unit_box<3>(), [&](Count i) {
    return std::array{static_cast<Real>(x[i]), Real(0.5), Real(0.5)};
  });
}

Count left_of_two(const std::vector<double>& x, LeafRule rule = LeafRule::complete) {
  const auto p = on_a_line(x);
  return reference_orb(p.position, p.box, 2, rule).tree.cells(2).end;
}

}  // namespace

TEST_CASE(
    "the seven-particle example has the cuts and cells printed in section 3.4 of Rehmann 2022") {
  const auto p = seven_particles();
  const auto orb = reference_orb(p.position, p.box, 3);
  const auto& cells = orb.tree.cells;
  REQUIRE(cells.extent(0) == 8);
  CHECK(cells(1).cut_axis == 0);
  CHECK(cells(1).cut == Catch::Approx(0.65));
  CHECK(cells(2).leaves == 2);
  CHECK(cells(2).cut_axis == 1);
  CHECK(cells(2).cut == Catch::Approx(0.55));
  CHECK(members(orb, 2) == std::set<LocalIndex>{0, 1, 3, 4});
  CHECK(members(orb, 4) == std::set<LocalIndex>{0, 3});
  CHECK(members(orb, 5) == std::set<LocalIndex>{1, 4});
  CHECK(members(orb, 3) == std::set<LocalIndex>{2, 5, 6});
  for (std::size_t leaf : {3, 4, 5}) CHECK(cells(leaf).leaves == 1);
  for (std::size_t gap : {6, 7}) CHECK(cells(gap).leaves == 0);
}

TEST_CASE("a tie at the cut goes to the side that brings the left count nearer to the rule's") {
  // By hand: five particles, two leaves, the rule wants 2.
  CHECK(left_of_two({0.1, 0.2, 0.3, 0.4, 0.5}) == 2);
  CHECK(left_of_two({0.1, 0.2, 0.2, 0.4, 0.5}) == 1);  // 1 or 3: equally near, the smaller
  CHECK(left_of_two({0.2, 0.2, 0.2, 0.4, 0.5}) == 3);  // 0 or 3
  CHECK(left_of_two({0.1, 0.2, 0.2, 0.2, 0.5}) == 1);  // 1 or 4
  CHECK(left_of_two({0.2, 0.2, 0.2, 0.2, 0.2}) == 0);  // 0 or 5
}

TEST_CASE(
    "a tie on the lower face goes left, because every plane of the cell has something on its "
    "left") {
  CHECK(left_of_two({0.0, 0.0, 0.0, 0.0, 0.0}) == 5);
  CHECK(left_of_two({0.0}) == 1);
  CHECK(left_of_two({0.5}) == 0);
}

TEST_CASE("halves rounds the left count up, complete rounds it down") {
  CHECK(left_of_two({0.1, 0.2, 0.3}, LeafRule::complete) == 1);
  CHECK(left_of_two({0.1, 0.2, 0.3}, LeafRule::halves) == 2);
}

TEST_CASE("an empty cell is cut in the middle of its box") {
  const auto orb = reference_orb(on_a_line({}).position, unit_box<3>(), 4);
  CHECK(orb.tree.cells(1).cut == Real(0.5));
  CHECK(orb.tree.cells(2).cut_axis == 1);
  CHECK(orb.tree.cells(2).cut == Real(0.5));
}

TEST_CASE("between adjacent floating-point numbers the cut is the smaller one") {
  const Real low = Real(0.5);
  const Real high = std::nextafter(low, Real(1));
  const Real higher = std::nextafter(high, Real(1));
  const auto cut = [](Real a, Real b) {
    const auto p = particles_from(2, unit_box<3>(), [&](Count i) {
      return std::array{i == 0 ? a : b, Real(0.5), Real(0.5)};
    });
    return reference_orb(p.position, p.box, 2).tree.cells(1).cut;
  };
  // One of the two pairs has a middle that rounds up.
  CHECK(cut(low, high) == low);
  CHECK(cut(high, higher) == high);
}

TEST_CASE("leaf shares of the oracle agree with those of the tree for every d up to 5000") {
  // Two forms of eq. 4: real arithmetic here, integers in the tree's header.
  for (std::uint32_t d = 2; d <= 5000; ++d)
    for (LeafRule rule : {LeafRule::complete, LeafRule::halves})
      REQUIRE(reference::leaves_going_left(d, rule) == left_leaves(d, rule));
}
