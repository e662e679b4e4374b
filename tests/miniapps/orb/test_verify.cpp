/// \file
/// The verification passes trees of the brute-force reference, and fails in the right check for
/// each corruption. Oracle: the reference of reference_orb.hpp, written from the definitions.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include "sabotage.hpp"
#include <copse/app/verification.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <orb/verify/verify.hpp>
#include <string>
#include <vector>

using namespace copse;
using namespace copse::orb;
using namespace copse::test;

namespace {

using Names = std::vector<std::string>;

/// Names of the checks that fail.
Names failed_checks(const HostParticles& input, const ReferenceOrb& orb) {
  app::Verification verification;
  const auto sentences = verify_orb(input, orb.position, orb.permutation, orb.tree, verification);
  CHECK(verification.checks().size() == 14);
  Names failed;
  for (const auto& check : verification.checks())
    if (!check.passed) failed.push_back(check.name);
  CHECK(sentences.size() == failed.size());
  return failed;
}

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ReferenceOrb reference_of(const HostParticles& p, std::uint32_t leaves,
                          LeafRule rule = LeafRule::complete) {
  return reference_orb(p.position, p.box, leaves, rule);
}

HostParticles line(const std::vector<double>& x) {
  return particles_from(x.size(), unit_box<3>(), [&](Count i) {
    return std::array{static_cast<Real>(x[i]), Real(0.5), Real(0.5)};
  });
}

/// Cuts a two-leaf tree of `input` so that the given number of its smallest keys go left, and puts
/// the plane at `cut`, correct or not.
ReferenceOrb cut_by_hand(const HostParticles& input, Count left, double cut) {
  ReferenceOrb orb = reference_of(input, 2);
  std::vector<LocalIndex> order(input.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<LocalIndex>(i);
  std::stable_sort(order.begin(), order.end(), [&](LocalIndex a, LocalIndex b) {
    return input.position(a, 0) < input.position(b, 0);
  });
  std::sort(order.begin(), order.begin() + left);
  std::sort(order.begin() + left, order.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    orb.permutation(i) = order[i];
    for (int a = 0; a < 3; ++a) orb.position(i, a) = input.position(order[i], a);
  }
  auto& cells = orb.tree.cells;
  cells(2).end = cells(3).begin = left;
  cells(1).cut = cells(2).upper[0] = cells(3).lower[0] = static_cast<Real>(cut);
  return orb;
}

const auto rules = {LeafRule::complete, LeafRule::halves};

}  // namespace

TEST_CASE("the brute-force ORB of every kind of input passes") {
  for (const auto& name : input_names())
    for (Count n : {0, 1, 2, 5, 64, 1000})
      for (std::uint32_t leaves : {1, 2, 3, 5, 8, 37})
        for (LeafRule rule : rules) {
          INFO(name << ", " << n << " particles, " << leaves << " leaves, rule "
                    << static_cast<int>(rule));
          const auto input = named_input(name, n);
          CHECK(failed_checks(input, reference_of(input, leaves, rule)) == Names{});
        }
}

TEST_CASE("a cell of more rows than one thread's share passes, and is checked to its last row") {
  const auto input = named_input("random", 200'000);
  auto orb = reference_of(input, 3);
  CHECK(failed_checks(input, orb) == Names{});
  orb.position(199'999, 1) = std::nextafter(orb.position(199'999, 1), Real(1));
  CHECK(has(failed_checks(input, orb), orb_check::coordinates_moved_along));
}

TEST_CASE("the seven-particle example passes although its box is flat") {
  const auto input = seven_particles();
  auto orb = reference_of(input, 3);
  CHECK(failed_checks(input, orb) == Names{});
  orb.tree.cells(3).lower[0] = Real(0.6);  // overlaps cell 2, detected by the area
  CHECK(has(failed_checks(input, orb), orb_check::volumes_add_up));
}

TEST_CASE("every sabotage of the mini-app is caught by the check it names") {
  for (const auto& info : sabotages())
    for (const char* name : {"random", "lattice", "clustered"})
      for (LeafRule rule : rules) {
        INFO(info.name << " of " << name << ", rule " << static_cast<int>(rule));
        const auto input = named_input(name, 500);
        auto orb = reference_of(input, 11, rule);
        REQUIRE(failed_checks(input, orb) == Names{});
        apply_sabotage(info.sabotage, orb.position, orb.permutation, orb.tree);
        CHECK(has(failed_checks(input, orb), info.caught_by));
      }
}

TEST_CASE("corruptions that leave everything else consistent fail in exactly one check") {
  const auto input = named_input("random", 500);
  const auto alone = [&](Sabotage sabotage) {
    auto orb = reference_of(input, 8);
    apply_sabotage(sabotage, orb.position, orb.permutation, orb.tree);
    return failed_checks(input, orb);
  };
  CHECK(alone(Sabotage::rank) == Names{orb_check::counts_by_rule});
  CHECK(alone(Sabotage::order) == Names{orb_check::input_order_kept});
}

TEST_CASE("counts off by one are caught unless a tie explains them") {
  // Ten particles, two leaves: the rule wants 5 left. Left counts and cuts are set by hand.
  const auto distinct = line({0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  CHECK(failed_checks(distinct, cut_by_hand(distinct, 5, 0.45)) == Names{});
  CHECK(failed_checks(distinct, cut_by_hand(distinct, 6, 0.55)) ==
        Names{orb_check::counts_by_rule});
  CHECK(failed_checks(distinct, cut_by_hand(distinct, 4, 0.35)) ==
        Names{orb_check::counts_by_rule});

  // Keys 5 to 7 tied: 4 or 7 can go left, 4 is nearer.
  const auto upper = line({0.05, 0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.7, 0.8, 0.9});
  CHECK(failed_checks(upper, cut_by_hand(upper, 4, 0.4)) == Names{});
  CHECK(failed_checks(upper, cut_by_hand(upper, 7, 0.6)) == Names{orb_check::counts_by_rule});

  // Keys 3 to 6 tied: 2 or 6, 6 is nearer.
  const auto lower = line({0.05, 0.1, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9});
  CHECK(failed_checks(lower, cut_by_hand(lower, 6, 0.55)) == Names{});
  CHECK(failed_checks(lower, cut_by_hand(lower, 2, 0.4)) == Names{orb_check::counts_by_rule});

  // Keys 5 and 6 tied: 4 and 6 are equally near, so 4.
  const auto equal = line({0.05, 0.1, 0.2, 0.3, 0.5, 0.5, 0.6, 0.7, 0.8, 0.9});
  CHECK(failed_checks(equal, cut_by_hand(equal, 4, 0.4)) == Names{});
  CHECK(failed_checks(equal, cut_by_hand(equal, 6, 0.55)) == Names{orb_check::counts_by_rule});
}

TEST_CASE("a tie split between the sides is caught") {
  const auto input = line({0.1, 0.2, 0.5, 0.5, 0.5, 0.9});
  const auto failed = failed_checks(input, cut_by_hand(input, 3, 0.5));
  CHECK(has(failed, orb_check::side_of_cut));
  CHECK(has(failed, orb_check::cut_between_keys));
}

TEST_CASE("all particles on the lower face may go left, and no others may") {
  const auto on_face = line({0, 0, 0});
  CHECK(failed_checks(on_face, cut_by_hand(on_face, 3, 0.5)) == Names{});
  const auto above = line({0.1, 0.1, 0.1});
  CHECK(failed_checks(above, cut_by_hand(above, 0, 0.05)) == Names{});
  CHECK(has(failed_checks(above, cut_by_hand(above, 3, 0.5)), orb_check::counts_by_rule));
}

TEST_CASE("a cut on or past a neighbouring key is caught to the last bit") {
  const auto input = line({0.25, 0.75});
  const Real below_right = std::nextafter(Real(0.75), Real(0));
  CHECK(failed_checks(input, cut_by_hand(input, 1, 0.25)) == Names{});
  CHECK(failed_checks(input, cut_by_hand(input, 1, below_right)) == Names{});
  const auto on_right = failed_checks(input, cut_by_hand(input, 1, 0.75));
  CHECK(has(on_right, orb_check::side_of_cut));
  CHECK(has(on_right, orb_check::cut_between_keys));
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(failed_checks(input, cut_by_hand(input, 1, nan)), orb_check::cut_between_keys));
}

TEST_CASE("an empty cell must be cut in the middle") {
  const auto input = line({});
  CHECK(failed_checks(input, cut_by_hand(input, 0, 0.5)) == Names{});
  CHECK(failed_checks(input, cut_by_hand(input, 0, 0.4)) == Names{orb_check::cut_between_keys});
}

TEST_CASE("leaf shares exchanged between siblings are caught") {
  const auto input = named_input("random", 100);
  auto orb = reference_of(input, 6);
  std::swap(orb.tree.cells(2).leaves, orb.tree.cells(3).leaves);
  CHECK(has(failed_checks(input, orb), orb_check::leaf_counts));
}

TEST_CASE("a tree of one rule does not pass as a tree of the other") {
  const auto input = named_input("random", 100);
  auto orb = reference_of(input, 10, LeafRule::halves);
  orb.tree.rule = LeafRule::complete;
  const auto failed = failed_checks(input, orb);
  CHECK(has(failed, orb_check::heap_conditions));
  CHECK(has(failed, orb_check::leaf_counts));
}

TEST_CASE("a root that is not the domain is caught") {
  auto input = named_input("random", 100);
  const auto orb = reference_of(input, 4);
  input.box.upper[2] = Real(2);
  CHECK(has(failed_checks(input, orb), orb_check::boxes_match));
}

TEST_CASE("invalid sizes and indices fail before they are used") {
  const auto input = named_input("random", 100);
  const auto spoiled = [&](const auto& spoil) {
    auto orb = reference_of(input, 5);
    spoil(orb);
    return failed_checks(input, orb);
  };
  CHECK(has(spoiled([](auto& o) { o.permutation(7) = 4'000'000'000u; }),
            orb_check::every_particle_once));
  CHECK(
      has(spoiled([](auto& o) { o.tree.cells(4).end = Count{1} << 60; }), orb_check::ranges_tile));
  CHECK(has(spoiled([](auto& o) { o.tree.cells(1).begin = 1; }), orb_check::ranges_tile));
  CHECK(has(spoiled([](auto& o) { o.tree.cells(1).cut_axis = 17; }), orb_check::side_of_cut));
  CHECK(has(spoiled([](auto& o) { o.tree.leaves = 0; }), orb_check::heap_conditions));
  CHECK(has(spoiled([](auto& o) { o.tree.leaves = 4'000'000'000u; }), orb_check::heap_conditions));
  CHECK(has(spoiled([](auto& o) { o.tree.cells = {}; }), orb_check::heap_conditions));
  CHECK(has(spoiled([](auto& o) { o.tree.cells(0).leaves = 1; }), orb_check::heap_conditions));
  CHECK(has(spoiled([](auto& o) { o.permutation = {}; }), orb_check::every_particle_once));
  CHECK(has(spoiled([](auto& o) { o.position = {}; }), orb_check::coordinates_moved_along));
}

TEST_CASE("two rows that exchange one coordinate are caught though every column's sum is kept") {
  const auto input = named_input("random", 100);
  auto orb = reference_of(input, 4);
  std::swap(orb.position(3, 2), orb.position(4, 2));
  const auto failed = failed_checks(input, orb);
  CHECK(has(failed, orb_check::coordinates_moved_along));
  CHECK(has(failed, orb_check::coordinate_checksum));
}
