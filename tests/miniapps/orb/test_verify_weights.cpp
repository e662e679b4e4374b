/// \file
/// The verification of cuts by weight passes trees of the brute-force reference and fails if one
/// particle too many or too few goes left. Oracle: reference_weighted_orb.hpp.

#include "orb_inputs.hpp"
#include "reference_weighted_orb.hpp"
#include "sabotage.hpp"
#include <copse/app/verification.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <orb/verify/verify.hpp>
#include <orb/weights.hpp>
#include <string>
#include <vector>

using namespace copse;
using namespace copse::orb;
using namespace copse::test;

namespace {

using Names = std::vector<std::string>;
using Weights = std::vector<std::uint32_t>;

Names failed_checks(const HostParticles& input, const ReferenceOrb& orb, const Weights& weights) {
  HostWeights view("copse::test::weights", weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) view(i) = weights[i];
  app::Verification verification;
  verify_orb(input, orb.position, orb.permutation, orb.tree, verification, {.weight = view});
  Names failed;
  for (const auto& check : verification.checks())
    if (!check.passed) failed.push_back(check.name);
  return failed;
}

Weights some_weights(Count n, unsigned seed) {
  std::mt19937 bits(seed);
  Weights weights(n);
  for (auto& w : weights) w = 1 + bits() % 9;
  return weights;
}

/// One particle in each tenth, at 0.05, 0.15, ...
HostParticles ten_on_a_line() {
  return particles_from(10, unit_box<3>(), [](Count i) {
    return std::array{static_cast<Real>(0.05 + 0.1 * static_cast<double>(i)), Real(0.5), Real(0.5)};
  });
}

/// The particles in order, the first `left` of them in the left of two leaves.
ReferenceOrb divided(const HostParticles& input, Count left, LeafRule rule) {
  ReferenceOrb orb = reference_orb(input.position, input.box, 2, rule);
  orb.tree.cells(1).cut = static_cast<Real>(0.1 * static_cast<double>(left));
  orb.tree.cells(2).upper[0] = orb.tree.cells(3).lower[0] = orb.tree.cells(1).cut;
  orb.tree.cells(2).end = orb.tree.cells(3).begin = left;
  return orb;
}

}  // namespace

TEST_CASE("the reference's trees by weight pass") {
  for (const std::string& name : input_names())
    for (Count n : {1, 2, 50, 700})
      for (std::uint32_t leaves : {1u, 2u, 13u, 64u})
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          INFO(name << ", n = " << n << ", " << leaves << " leaves");
          const auto input = named_input(name, n);
          const auto weights = some_weights(n, 5);
          const auto orb = reference_weighted_orb(input.position, weights, input.box, leaves, rule);
          CHECK(failed_checks(input, orb, weights) == Names{});
        }
}

TEST_CASE("one particle too many or too few fails, depending on the rule") {
  const auto input = ten_on_a_line();
  // 60 in all, so 30 each; the sums from the left are 5, 10, 15, 20, 25, 32, ...
  const Weights weights{5, 5, 5, 5, 5, 7, 7, 7, 7, 7};
  const Names wrong{orb_check::weights_by_rule};
  for (Count left = 0; left <= 10; ++left) {
    INFO(left);
    const bool at_most = left == 5, at_least = left == 6;
    CHECK(failed_checks(input, divided(input, left, LeafRule::complete), weights) ==
          (at_most ? Names{} : wrong));
    CHECK(failed_checks(input, divided(input, left, LeafRule::halves), weights) ==
          (at_least ? Names{} : wrong));
  }
}

TEST_CASE(
    "corruptions of a weighted tree are caught as in an unweighted one, except rank, which has its "
    "own check") {
  const auto input = named_input("random", 400);
  const auto weights = some_weights(400, 11);
  for (const auto& info : sabotages()) {
    INFO(info.name);
    const auto orb =
        reference_weighted_orb(input.position, weights, input.box, 11, LeafRule::complete);
    apply_sabotage(info.sabotage, orb.position, orb.permutation, orb.tree);
    const Names failed = failed_checks(input, orb, weights);
    const std::string_view expected = info.caught_by == std::string_view(orb_check::counts_by_rule)
                                          ? orb_check::weights_by_rule
                                          : info.caught_by;
    CHECK(std::find(failed.begin(), failed.end(), expected) != failed.end());
  }
}

TEST_CASE("an unweighted tree does not pass as a weighted one") {
  const auto input = named_input("random", 400);
  const auto orb = reference_orb(input.position, input.box, 8);
  CHECK(failed_checks(input, orb, some_weights(400, 2)) == Names{orb_check::weights_by_rule});
}

TEST_CASE("random weights follow the formula, whatever the first row") {
  const Kokkos::Serial space;
  const Communicator comm;
  const auto particles = named_input("random", 100);
  const Weighting request{"heavy-tailed", 1.0};
  const auto whole = make_weights(space, comm, request, particles, 9, 0, 1000);
  const auto later = make_weights(space, comm, request, named_input("random", 60), 9, 40, 1000);
  // The two are scaled by their own maxima, so ratios are compared; integer weights would differ.
  const auto ratio = [](const auto& w, Count a, Count b) {
    return static_cast<double>(w(a)) / static_cast<double>(w(b));
  };
  for (Count i = 1; i < 60; ++i)
    CHECK(std::abs(ratio(later, i, 0) / ratio(whole, 40 + i, 40) - 1) < 1e-5);
  // Pareto of index 1.5: the fraction x^-1.5 of the weights exceeds x times the smallest.
  const auto many = make_weights(space, comm, request, named_input("random", 20000), 9, 0, 20000);
  const auto smallest = *std::min_element(many.data(), many.data() + 20000);
  int above_four = 0;
  for (int i = 0; i < 20000; ++i) above_four += many(i) > 4.0 * smallest;
  CHECK(std::abs(above_four / 20000.0 - 0.125) < 0.01);
}

TEST_CASE("an exponent of 0 makes every weight 1") {
  const Communicator comm;
  for (const char* kind : {"heavy-tailed", "column"}) {
    auto particles = named_input("random", 10);
    particles.weight = decltype(particles.weight)("copse::test::weight", 10);
    for (int i = 0; i < 10; ++i) particles.weight(i) = static_cast<Real>(i) / 4;
    const auto weights = make_weights(Kokkos::Serial{}, comm, {kind, 0.0}, particles, 1, 0, 10);
    for (int i = 0; i < 10; ++i) CHECK(weights(i) == 1);
  }
}
