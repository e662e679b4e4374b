#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_builder.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_orb.hpp>

namespace copse::test {
namespace {

struct Built {
  OrbTree<Kokkos::HostSpace> tree;
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;
  Points<3, Kokkos::HostSpace> position;
};

template <class Tree, class Permutation, class PointSet>
Built fetch(const Tree& tree, const Permutation& permutation, const PointSet& points) {
  Built built;
  built.tree.cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells);
  built.tree.leaves = tree.leaves;
  built.tree.rule = tree.rule;
  built.permutation = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  built.position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, points);
  return built;
}

template <class Space>
Built build(OrbBuilder<Space>& builder, const HostParticles& particles, std::uint32_t leaves,
            LeafRule rule, OrbEngine engine = OrbEngine::best) {
  using Memory = typename Space::memory_space;
  auto points = copy_particles<Memory>(particles).position;
  typename OrbBuilder<Space>::Permutation permutation;
  return fetch(
      builder.build(points, permutation,
                    {.leaves = leaves, .rule = rule, .engine = engine, .box = particles.box}),
      permutation, points);
}

/// Positions alone, with junk in the room they move to, or no room yet.
template <class Space>
Built build_positions(OrbBuilder<Space>& builder, const HostParticles& particles,
                      std::uint32_t leaves, LeafRule rule, OrbEngine engine) {
  using Memory = typename Space::memory_space;
  auto points = copy_particles<Memory>(particles).position;
  Points<3, Memory> spare("copse::test::spare", leaves % 2 == 0 ? points.extent(0) : 0);
  Kokkos::deep_copy(spare, Real(0.25));
  const auto tree = builder.build(
      points, spare, {.leaves = leaves, .rule = rule, .engine = engine, .box = particles.box});
  return fetch(tree, typename OrbBuilder<Space>::Permutation(), points);
}

int differing_cells(const OrbTree<Kokkos::HostSpace>& a, const OrbTree<Kokkos::HostSpace>& b) {
  if (a.cells.extent(0) != b.cells.extent(0)) return -1;
  int differing = 0;
  for (std::size_t i = 1; i < a.cells.extent(0); ++i) {
    const OrbCell &x = a.cells(i), &y = b.cells(i);
    bool same = x.begin == y.begin && x.end == y.end && x.leaves == y.leaves &&
                x.cut_axis == y.cut_axis && x.cut == y.cut;
    for (int axis = 0; axis < 3; ++axis)
      same = same && x.lower[axis] == y.lower[axis] && x.upper[axis] == y.upper[axis];
    differing += !same;
  }
  return differing;
}

/// Rows of built positions without a permutation are compared by their coordinates.
int differing_rows(const Built& a, const ReferenceOrb& b) {
  if (a.position.extent(0) != b.position.extent(0)) return -1;
  int differing = 0;
  for (std::size_t i = 0; i < a.position.extent(0); ++i) {
    bool same = a.permutation.extent(0) == 0 || a.permutation(i) == b.permutation(i);
    for (int axis = 0; axis < 3; ++axis) same = same && a.position(i, axis) == b.position(i, axis);
    differing += !same;
  }
  return differing;
}

void check_against_reference(const HostParticles& particles, std::uint32_t leaves, LeafRule rule) {
  const ReferenceOrb expected = reference_orb(particles.position, particles.box, leaves, rule);
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    OrbBuilder<Space> builder(space);
    // Twice: the second build works in the first one's arrays.
    for (int repeat = 0; repeat < 2; ++repeat)
      for (const OrbEngine engine : {OrbEngine::best, OrbEngine::levels, OrbEngine::fused}) {
        INFO("engine " << static_cast<int>(engine));
        const Built built = build(builder, particles, leaves, rule, engine);
        CHECK(differing_cells(built.tree, expected.tree) == 0);
        CHECK(built.permutation.extent(0) == expected.permutation.extent(0));
        CHECK(differing_rows(built, expected) == 0);
        const Built positions = build_positions(builder, particles, leaves, rule, engine);
        CHECK(differing_cells(positions.tree, expected.tree) == 0);
        CHECK(differing_rows(positions, expected) == 0);
      }
  });
}

TEST_CASE("The tree of every input equals that of the recursion by sorting, bit by bit") {
  for (const char* name : {"random", "sorted", "reversed", "constant", "on_lower_face",
                           "duplicates", "lattice", "clustered", "neighbours"})
    for (Count n : {0, 1, 2, 5, 100, 5000})
      for (std::uint32_t leaves : {1u, 2u, 3u, 8u, 13u, 64u})
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          INFO(name << ", n = " << n << ", " << leaves << " leaves, rule "
                    << static_cast<int>(rule));
          check_against_reference(named_input(name, n), leaves, rule);
        }
}

TEST_CASE("Large cells, which are searched by sampling, give the same tree") {
  for (const char* name : {"random", "clustered", "duplicates", "lattice"}) {
    INFO(name);
    check_against_reference(named_input(name, 300000), 37, LeafRule::complete);
  }
  // Deep enough for two rounds of the fused engine, the second one ragged.
  check_against_reference(named_input("clustered", 300000), 150, LeafRule::halves);
}

TEST_CASE("More leaves than particles leave the surplus empty") {
  check_against_reference(named_input("random", 50), 4096, LeafRule::complete);
  check_against_reference(named_input("random", 50), 1000, LeafRule::halves);
}

TEST_CASE("The example of section 3.4 of Rehmann 2022 has its cuts and cells") {
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
    // Who is where: ids 0 and 3 below the second cut, 1 and 4 above, 2, 5 and 6 right of the first.
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
