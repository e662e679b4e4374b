/// \file
/// The corruptions of sabotage.hpp: names, and inputs too small to corrupt. test_verify.cpp tests
/// that each is caught.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include "sabotage.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <set>
#include <string>

using namespace copse;
using namespace copse::orb;
using namespace copse::test;

TEST_CASE("every corruption is found by its own, unique name, in the order of the enum") {
  std::set<std::string_view> names;
  std::size_t position = 0;
  for (const auto& info : sabotages()) {
    CHECK(static_cast<std::size_t>(info.sabotage) == position++);
    CHECK(sabotage_named(info.name) == info.sabotage);
    CHECK(names.insert(info.name).second);
  }
  CHECK(names.size() == 14);
}

TEST_CASE("an unknown corruption is refused with the variable's name and the known ones") {
  using Catch::Matchers::ContainsSubstring;
  CHECK_THROWS_AS(sabotage_named("sleep"), InputError);
  CHECK_THROWS_WITH(sabotage_named("sleep"), ContainsSubstring("COPSE_SABOTAGE") &&
                                                 ContainsSubstring("'sleep'") &&
                                                 ContainsSubstring("swap, order"));
}

TEST_CASE("a corruption that the tree has no room for is refused") {
  const auto input = named_input("random", 1);
  const auto refused = [&](Sabotage sabotage, std::uint32_t leaves) {
    const auto orb = reference_orb(input.position, input.box, leaves);
    CHECK_THROWS_AS(apply_sabotage(sabotage, orb.position, orb.permutation, orb.tree), InputError);
    CHECK(orb.permutation(0) == 0);
  };
  for (Sabotage sabotage : {Sabotage::swap, Sabotage::order, Sabotage::duplicate, Sabotage::lose,
                            Sabotage::cut, Sabotage::rank, Sabotage::range}) {
    INFO(static_cast<int>(sabotage));
    refused(sabotage, 1);
    refused(sabotage, 4);
  }
}
