#include <copse/app/kernel_timer.hpp>
#include <copse/backend/backends.hpp>

#include <catch2/catch_test_macros.hpp>

#include <common/tree/differing_from_reference.hpp>
#include <common/tree/orb_builds.hpp>
#include <limits>
#include <orb/fused/engine.hpp>
#include <orb/fused/fused_bisection.hpp>

namespace copse::test {
namespace {

/// Launches of the first kernel of a level.
std::uint64_t levels_begun(app::KernelTimer& timer) {
  timer.close_sample();
  for (const auto& kernel : timer.kernels())
    if (kernel.label == "copse::bisect::prepare") return kernel.launches.back();
  return 0;
}

struct Case {
  std::uint32_t leaves;
  Count least_rows;
  std::uint64_t levels_after_rounds;
};

const auto fused_engine = []<class Space>(const Space&) {
  return orb::engine_for<Space>(orb::Placement::fused);
};

TEST_CASE("The fused engine builds the tree of the recursion by sorting, bit by bit") {
  check_small_inputs(fused_engine);
  check_large_inputs(fused_engine);
  check_surplus_leaves(fused_engine);
}

TEST_CASE("Single levels after a round, or instead of one, build exactly the levels of the tree") {
  constexpr Count n = 40000;
  constexpr Count never = std::numeric_limits<Count>::max();
  // Equal rounds cut six of twelve levels and five of ten; then cells are too small for another
  // round.
  const std::vector<Case> cases{{4096, n / 2, 6}, {1000, n / 2, 5}, {4096, never, 12}, {64, 1, 0}};
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const char* name : {"random", "clustered"})
      for (const Case& c : cases) {
        INFO(backend_name<Space>() << ", " << name << ", " << c.leaves << " leaves");
        const int levels = orb_depth(c.leaves);
        Workspace<Memory> workspace;
        app::KernelTimer timer;
        const auto build = [&](const auto& cells, const auto& arrays) {
          orb::fused::bisect_fused(space, OrbPolicy{LeafRule::complete}, cells, levels, arrays,
                                   workspace, {c.least_rows});
        };
        CHECK(differing_from_reference<Memory>(named_input(name, n), c.leaves, LeafRule::complete,
                                               build) == 0);
        // On a device teams cut the levels of small cells.
        const int by_rounds = levels - static_cast<int>(c.levels_after_rounds);
        const int by_levels = std::max(depth_of_team_subtrees(n, levels) - by_rounds, 0);
        CHECK(levels_begun(timer) == (runs_on_host<Space> ? c.levels_after_rounds
                                                          : static_cast<std::uint64_t>(by_levels)));
        const auto announced = orb::fused::fused_workspace_bytes<Space>(n, levels, {c.least_rows});
        CHECK(20 * workspace.bytes() <=
              21 * announced);  // the estimate is accurate to a few per cent
      }
  });
}

TEST_CASE("Cells that a round cannot cut are cut by the levels after it") {
  constexpr Count n = 40000;
  for_each_backend([&]<class Space>(Space space) {
    using Memory = typename Space::memory_space;
    for (const char* name : {"duplicates", "lattice", "constant"}) {
      INFO(backend_name<Space>() << ", " << name);
      Workspace<Memory> workspace;
      const auto build = [&](const auto& cells, const auto& arrays) {
        orb::fused::bisect_fused(space, OrbPolicy{LeafRule::complete}, cells, 10, arrays, workspace,
                                 {n / 2});
      };
      CHECK(differing_from_reference<Memory>(named_input(name, n), 1000, LeafRule::complete,
                                             build) == 0);
    }
  });
}

}  // namespace
}  // namespace copse::test
