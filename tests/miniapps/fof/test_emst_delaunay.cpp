// Oracles: Prim's algorithm over all pairs and the flood fill of reference.hpp.
#include "mst_problems.hpp"
#include <copse/backend/error.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <fof/methods/delaunay_graph.hpp>
#include <fof/methods/emst_delaunay.hpp>
#include <fof/reference.hpp>

namespace copse::fof::test {
namespace {

std::vector<LocalIndex> labels_on_host(const HostProblem& problem) {
  EmstDelaunayLinker<Kokkos::Serial> linker;
  return labels_by(Kokkos::Serial{}, linker, problem);
}

#define NEEDS_CGAL() \
  if (!has_delaunay()) SKIP("this build has no CGAL")

TEST_CASE("A build without CGAL refuses the method with a message") {
  if (has_delaunay()) SKIP("this build has CGAL");
  const NamedProblem named = make_problem({"uniform", 10, 0.1});
  CHECK_THROWS_AS(labels_on_host(named.problem), InputError);
}

TEST_CASE("In 3-D the Delaunay graph holds the minimum spanning tree") {
  NEEDS_CGAL();
  for (const ProblemKind& kind : problem_kinds()) {
    if (kind.periodic || kind.velocity) continue;
    const NamedProblem named = make_problem(kind);
    INFO(named.name);
    const auto tree = delaunay_spanning_tree(named.problem);
    const auto expected = prim(named.problem);
    REQUIRE(tree.size() == expected.size());
    for (std::size_t e = 0; e < tree.size(); ++e) CHECK(tree[e].distance2 == expected[e].distance2);
    // With equal distances the tree is not unique, and a triangulation may lack edges of one of
    // them.
    if (kind.name == "uniform" || kind.name == "clusters" || kind.name == "coplanar")
      CHECK(tree == expected);
  }
}

TEST_CASE("In 3-D groups are those of linking friends, coincident and aligned particles included") {
  NEEDS_CGAL();
  for (const ProblemKind& kind : problem_kinds()) {
    if (kind.periodic || kind.velocity) continue;
    const NamedProblem named = make_problem(kind);
    INFO(named.name);
    CHECK(labels_on_host(named.problem) == reference_labels(named.problem, named.box));
  }
}

TEST_CASE("Coincident particles are linked, although a triangulation has each position once") {
  NEEDS_CGAL();
  HostProblem problem;
  problem.friendship = make_friendship({.length = 0.5, .velocity = INFINITY}, unit_box<3>());
  problem.position = Points<3, Kokkos::HostSpace>("copse::test::position", 7);
  for (Count i = 0; i < 7; ++i) problem.position(i, i % 2) = 1;  // two positions
  CHECK(labels_on_host(problem) == std::vector<LocalIndex>{0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("Delaunay edges of exactly the linking length link only on request") {
  NEEDS_CGAL();
  // Distances on this lattice are exact, so rounding has no effect.
  NamedProblem named = make_problem({"lattice", 729, 0.13});
  for (const bool inclusive : {false, true}) {
    const LinkingLengths links{.length = 0.125, .velocity = INFINITY, .inclusive = inclusive};
    named.problem.friendship = make_friendship(links, named.box);
    CHECK(labels_on_host(named.problem) == reference_labels(named.problem, named.box));
  }
}

TEST_CASE("A periodic box is refused") {
  NEEDS_CGAL();
  const NamedProblem named = make_problem({"uniform", 20, 0.1, true});
  CHECK_THROWS_AS(labels_on_host(named.problem), InputError);
}

/// Particles 0 and 1 at rest, friends in 6-D; particle 2 half-way between them and fast; four more
/// far away, so that the triangulation has tetrahedra.
HostProblem two_friends_with_another_between() {
  HostProblem problem;
  problem.friendship = make_friendship({.length = 2.5, .velocity = 1.0}, unit_box<3>());
  const std::array<std::array<Real, 3>, 7> position{{{-1, 0, 0},
                                                     {1, 0, 0},
                                                     {0, 0, 0},
                                                     {20, 20, 20},
                                                     {-20, -20, 20},
                                                     {-20, 20, -20},
                                                     {20, -20, -20}}};
  problem.position = Points<3, Kokkos::HostSpace>("copse::test::position", 7);
  problem.velocity = Points<3, Kokkos::HostSpace>("copse::test::velocity", 7);
  for (Count i = 0; i < 7; ++i)
    for (Count a = 0; a < 3; ++a) problem.position(i, a) = position[i][a];
  problem.velocity(2, 1) = 100;
  return problem;
}

TEST_CASE("In 6-D the Delaunay graph of positions may lack friends, and groups fall apart") {
  NEEDS_CGAL();
  const HostProblem problem = two_friends_with_another_between();
  Box<3> box;
  box.lower = {-20, -20, -20};
  box.upper = {20, 20, 20};
  // 2^2 / 2.5^2 < 1 at equal velocity: friends; all others are alone.
  CHECK(reference_labels(problem, box) == std::vector<LocalIndex>{0, 0, 2, 3, 4, 5, 6});
  // Every sphere through both particles contains what lies between them, so no Delaunay edge joins
  // them.
  std::vector<std::array<double, 3>> points(7);
  for (Count i = 0; i < 7; ++i)
    for (Count a = 0; a < 3; ++a) points[i][a] = static_cast<double>(problem.position(i, a));
  const auto edges = delaunay_edges(points);
  const auto has = [&](LocalIndex a, LocalIndex b) {
    return std::find(edges.begin(), edges.end(), std::array{a, b}) != edges.end();
  };
  CHECK(has(0, 2));
  CHECK(has(1, 2));
  CHECK_FALSE(has(0, 1));
  // So the method of [Wood 2014] finds seven groups instead of six.
  CHECK(labels_on_host(problem) == std::vector<LocalIndex>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE(
    "In 6-D all links of the Delaunay graph are correct: its groups are parts of the groups") {
  NEEDS_CGAL();
  for (const ProblemKind& kind : problem_kinds()) {
    if (kind.periodic || !kind.velocity) continue;
    const NamedProblem named = make_problem(kind);
    INFO(named.name);
    const auto exact = reference_labels(named.problem, named.box);
    const auto found = labels_on_host(named.problem);
    int wrong = 0;
    for (Count i = 0; i < named.problem.size(); ++i) wrong += exact[found[i]] != exact[i];
    CHECK(wrong == 0);
    CHECK((found != exact));
  }
}

}  // namespace
}  // namespace copse::fof::test
