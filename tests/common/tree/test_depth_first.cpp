#include <copse/backend/backends.hpp>
#include <copse/tree/depth_first.hpp>
#include <copse/tree/orb_policy.hpp>

#include <catch2/catch_test_macros.hpp>

#include <common/tree/differing_from_reference.hpp>

namespace copse::test {
namespace {

TEST_CASE("Teams build the subtrees of the recursion by sorting, bit by bit") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const std::string& name : input_names())
      for (Count n : {0, 1, 5, 100, 9000})
        for (std::uint32_t leaves : {1u, 2u, 13u, 64u})
          for (LeafRule rule : {LeafRule::complete, LeafRule::halves})
            for (int above : {0, 1, 2}) {
              INFO(backend_name<Space>() << ", " << name << ", n = " << n << ", " << leaves);
              const int levels = orb_depth(leaves);
              if (above > levels) continue;
              Workspace<Memory> workspace;
              const auto build = [&](const auto& cells, const auto& arrays) {
                const OrbPolicy policy{rule};
                arrays.number(space);
                bisect(space, policy, cells, above, arrays, workspace);
                finish_by_teams(space, policy, cells, above, levels, arrays);
              };
              CHECK(differing_from_reference<Memory>(named_input(name, n), leaves, rule, build) ==
                    0);
            }
  });
}

TEST_CASE("Teams of two sizes build the subtrees of 300000 particles") {
  for_each_backend([]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const char* name : {"random", "clustered", "duplicates", "lattice"}) {
      INFO(backend_name<Space>() << ", " << name);
      Workspace<Memory> workspace;
      const auto build = [&](const auto& cells, const auto& arrays) {
        arrays.number(space);
        finish_by_teams(space, OrbPolicy{}, cells, 0, orb_depth(1000), arrays);
      };
      CHECK(differing_from_reference<Memory>(named_input(name, 300000), 1000, LeafRule::complete,
                                             build) == 0);
    }
  });
}

}  // namespace
}  // namespace copse::test
