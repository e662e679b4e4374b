#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_builder.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <common/tree/orb_builds.hpp>
#include <limits>
#include <vector>

namespace copse::test {
namespace {

/// Level by level on every backend, with exact selection.
template <class Space>
class LevelEngine final : public OrbEngine<Space> {
 public:
  using typename OrbEngine<Space>::MemorySpace;
  using typename OrbEngine<Space>::Cells;
  void cut(const Space& space, const OrbPolicy& policy, const Cells& cells, int levels,
           const BisectionArrays<3, MemorySpace>& arrays,
           Workspace<MemorySpace>& workspace) const override {
    arrays.number(space);
    bisect(space, policy, cells, levels, arrays, workspace);
  }
  void cut(const Space& space, const OrbPolicy& policy, const Cells& cells, int levels,
           const PointArrays<3, MemorySpace>& arrays,
           Workspace<MemorySpace>& workspace) const override {
    bisect(space, policy, cells, levels, arrays, workspace);
  }
};

const auto by_levels = []<class Space>(const Space&) {
  return std::make_shared<LevelEngine<Space>>();
};
const auto by_default = []<class Space>(const Space&) {
  return std::make_shared<OrbEngine<Space>>();
};

TEST_CASE("The tree of every input equals that of the recursion by sorting, bit by bit") {
  check_small_inputs(by_default);
  check_small_inputs(by_levels);
}

TEST_CASE("Large cells, which are searched by sampling, give the same tree") {
  check_large_inputs(by_default);
  check_large_inputs(by_levels);
}

TEST_CASE("With more leaves than particles the surplus leaves are empty") {
  check_surplus_leaves(by_default);
  check_surplus_leaves(by_levels);
}

TEST_CASE("The example of [Rehmann 2022] section 3.4 has its cuts and cells") {
  const HostParticles particles = seven_particles();
  for_each_backend([&]<class Space>(Space space) {
    OrbBuilder<Space> builder(space);
    const Built built = build(builder, particles, 3, LeafRule::complete);
    const auto& cells = built.tree.cells;
    CHECK(cells(1).cut_axis == 0);
    CHECK(cells(1).cut == Catch::Approx(0.65));
    CHECK(cells(2).cut_axis == 1);
    CHECK(cells(2).cut == Catch::Approx(0.55));
    CHECK(cells(2).end - cells(2).begin == 4);
    CHECK(cells(3).end - cells(3).begin == 3);
    CHECK(cells(4).end - cells(4).begin == 2);
    CHECK(cells(5).end - cells(5).begin == 2);
    // Expected: ids 0 and 3 below the second cut, 1 and 4 above it, 2, 5 and 6 right of the first.
    const std::vector<LocalIndex> expected{0, 3, 1, 4, 2, 5, 6};
    for (int i = 0; i < 7; ++i) CHECK(built.permutation(i) == expected[i]);
  });
}

TEST_CASE("A plane lies between its keys and never on the right one") {
  constexpr Real largest = std::numeric_limits<Real>::max();
  constexpr Real tiny = std::numeric_limits<Real>::denorm_min();
  CHECK(middle_below(Real(0), Real(1)) == Real(0.5));
  CHECK(middle_below(-largest, largest) == Real(0));
  CHECK(middle_below(largest / 2, largest) == largest / 2 + largest / 4);
  CHECK(middle_below(Real(0), tiny) == Real(0));
  CHECK(middle_below(Real(2), Real(2)) == Real(2));
  for (Real low : {Real(1), Real(-1), Real(1e-40), Real(3e10)}) {
    const Real high = std::nextafter(low, largest);
    CHECK(middle_below(low, high) == low);
  }
}

TEST_CASE("Impossible leaf counts are refused in one sentence") {
  OrbBuilder<Kokkos::Serial> builder;
  Points<3, Kokkos::HostSpace> points("copse::test::points", 10);
  OrbBuilder<Kokkos::Serial>::Permutation permutation;
  CHECK_THROWS_AS(builder.build(points, permutation, {.leaves = 0}), InputError);
  CHECK_THROWS_AS(builder.build(points, permutation, {.leaves = ~std::uint32_t{0}}), InputError);
}

}  // namespace
}  // namespace copse::test
