/// \file
/// The verification of trees with weaker or different promises than the best build: a tolerance, no
/// order within leaves, axes in turn. It must allow exactly these.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include <copse/app/coordinate_checksum.hpp>
#include <copse/app/verification.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <orb/verify/verify.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::test {

using namespace orb;
namespace {

using Names = std::vector<std::string>;

Names failed_checks(const HostParticles& input, const ReferenceOrb& orb,
                    const OrbPromises& promises) {
  app::Verification verification;
  verify_orb(input, orb.position, orb.permutation, orb.tree, verification, promises);
  Names failed;
  for (const auto& check : verification.checks())
    if (!check.passed) failed.push_back(check.name);
  return failed;
}

/// 100 particles on a line, `left` of them left of the one cut.
std::pair<HostParticles, ReferenceOrb> line_cut_at(Count left) {
  const HostParticles input = particles_from(100, unit_box<3>(), [](Count i) {
    return std::array{static_cast<Real>(i) / Real(100), Real(0.5), Real(0.5)};
  });
  ReferenceOrb orb = reference_orb(input.position, input.box, 2);
  auto& cells = orb.tree.cells;
  cells(2).end = cells(3).begin = left;
  cells(1).cut = cells(2).upper[0] = cells(3).lower[0] =
      static_cast<Real>((static_cast<double>(left) - 0.5) / 100);
  return {input, orb};
}

TEST_CASE("A left count may miss the rule's by the tolerance and no more") {
  for (Count left : {47, 53}) {
    const auto [input, orb] = line_cut_at(left);
    CHECK(failed_checks(input, orb, {.alpha = 3}) == Names{});
    CHECK(failed_checks(input, orb, {.alpha = 2}) == Names{orb_check::counts_by_rule});
    CHECK(failed_checks(input, orb, {}) == Names{orb_check::counts_by_rule});
  }
}

TEST_CASE("Positions alone are compared with the checksum of an input that no longer exists") {
  auto [input, orb] = line_cut_at(50);
  const OrbPromises promises{.input_checksum =
                                 app::coordinate_checksum(Kokkos::Serial(), input.position)};
  HostParticles gone;
  gone.box = input.box;
  orb.permutation = {};
  CHECK(failed_checks(gone, orb, promises) == Names{});
  // Two rows of a leaf may be swapped: their input order is not promised.
  std::swap(orb.position(1, 0), orb.position(2, 0));
  CHECK(failed_checks(gone, orb, promises) == Names{});
  orb.position(1, 0) = orb.position(2, 0);
  CHECK(failed_checks(gone, orb, promises) == Names{orb_check::coordinate_checksum});
}

TEST_CASE("A tolerance affects only the counts") {
  auto [input, orb] = line_cut_at(47);
  orb.tree.cells(1).cut = orb.tree.cells(2).upper[0] = orb.tree.cells(3).lower[0] = Real(0.6);
  const Names failed = failed_checks(input, orb, {.alpha = 100});
  CHECK(std::count(failed.begin(), failed.end(), orb_check::side_of_cut) == 1);
  CHECK(std::count(failed.begin(), failed.end(), orb_check::cut_between_keys) == 1);
}

TEST_CASE("Rows of a leaf may be in any order if the variant guarantees none") {
  const auto input = named_input("random", 50);
  auto orb = reference_orb(input.position, input.box, 2);
  std::swap(orb.permutation(0), orb.permutation(1));
  for (int a = 0; a < 3; ++a) std::swap(orb.position(0, a), orb.position(1, a));
  CHECK(failed_checks(input, orb, {}) == Names{orb_check::input_order_kept});
  CHECK(failed_checks(input, orb, {.order_kept = false}) == Names{});
  orb.permutation(0) = orb.permutation(1);
  CHECK(failed_checks(input, orb, {.order_kept = false}) != Names{});
}

TEST_CASE("A tree is checked by its own axis rule") {
  const auto input = named_input("clustered", 500);
  for (AxisRule rule : {AxisRule::longest, AxisRule::cyclic}) {
    auto orb = reference_orb(input.position, input.box, 11, LeafRule::complete, rule);
    CHECK(failed_checks(input, orb, {}) == Names{});
    orb.tree.axis_rule = rule == AxisRule::cyclic ? AxisRule::longest : AxisRule::cyclic;
    CHECK(
        failed_checks(input, orb, {}) ==
        Names{rule == AxisRule::cyclic ? orb_check::longest_axis_cut : orb_check::cyclic_axis_cut});
  }
}

}  // namespace
}  // namespace copse::test
