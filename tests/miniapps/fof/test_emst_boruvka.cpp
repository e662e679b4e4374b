// Oracles: Prim's algorithm over all pairs, the flood fill of reference.hpp, and a published tree.
#include "data_file.hpp"
#include "mst_problems.hpp"
#include <copse/io/point_reader.hpp>
#include <copse/particles/generators.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fof/methods/emst_boruvka.hpp>
#include <fof/reference.hpp>
#include <map>

namespace copse::fof::test {
namespace {

TEST_CASE("The tree is the one that Prim's algorithm finds, to the last bit") {
  for (const ProblemKind& kind : problem_kinds()) {
    const NamedProblem named = make_problem(kind);
    const std::vector<TreeEdge> expected = prim(named.problem);
    for_each_backend([&]<class Space>(Space space) {
      EmstBoruvkaLinker<Space> linker(space);
      const auto problem = problem_on_backend<Space>(named.problem);
      for (const std::uint32_t bucket_size : {0u, 1u, 5u}) {
        INFO(backend_name<Space>() << ", " << named.name << ", buckets of " << bucket_size);
        const LinkOptions options{.bucket_size = bucket_size};
        CHECK(vector_of(linker.spanning_tree(problem, options)) == expected);
      }
    });
  }
}

TEST_CASE(
    "Linking by the tree up to the linking length, and by cutting the whole tree, gives the groups "
    "of friends") {
  for (const ProblemKind& kind : problem_kinds()) {
    const NamedProblem named = make_problem(kind);
    const auto expected = reference_labels(named.problem, named.box);
    for_each_backend([&]<class Space>(Space space) {
      INFO(backend_name<Space>() << ", " << named.name);
      EmstBoruvkaLinker<Space> linker(space);
      CHECK(labels_by(space, linker, named.problem) == expected);
      const auto tree = linker.spanning_tree(problem_on_backend<Space>(named.problem), {});
      const Labels<typename Space::memory_space> cut("copse::test::labels", named.problem.size());
      cut_tree(space, tree, named.problem.friendship.reach2, cut);
      CHECK(vector_of(cut) == expected);
    });
  }
}

TEST_CASE("Particles at exactly the linking length are linked only on request") {
  NamedProblem named = make_problem({"lattice", 729, 0.13});
  for (const bool inclusive : {false, true}) {
    const LinkingLengths links{.length = 0.125, .velocity = INFINITY, .inclusive = inclusive};
    named.problem.friendship = make_friendship(links, named.box);
    const auto expected = reference_labels(named.problem, named.box);
    CHECK(expected.back() == (inclusive ? 0 : 728));
    for_each_backend([&]<class Space>(Space space) {
      EmstBoruvkaLinker<Space> linker(space);
      CHECK(labels_by(space, linker, named.problem) == expected);
      const auto tree = linker.spanning_tree(problem_on_backend<Space>(named.problem), {});
      const Labels<typename Space::memory_space> cut("copse::test::labels", 729);
      cut_tree(space, tree, named.problem.friendship.reach2, cut);
      CHECK(vector_of(cut) == expected);
    });
  }
}

TEST_CASE("Many haloes in 6-D have one tree on all backends, and its groups are those of friends") {
  GeneratorOptions options;
  options.kind = "nfw";
  options.particles = 20000;
  options.columns.velocity = true;
  const auto particles = generate(Kokkos::Serial{}, options, 0, options.particles);
  HostProblem problem{particles.position, particles.velocity, {}};
  const double b = 0.2 * std::cbrt(particles.box.volume() / 20000);
  problem.friendship = make_friendship({.length = b, .velocity = 0.5}, particles.box);
  const auto expected = reference_labels(problem, particles.box);
  std::vector<TreeEdge> first;
  for_each_backend([&]<class Space>(Space space) {
    EmstBoruvkaLinker<Space> linker(space);
    CHECK((labels_by(space, linker, problem) == expected));
    const auto tree = vector_of(linker.spanning_tree(problem_on_backend<Space>(problem), {}));
    if (first.empty()) first = tree;
    CHECK(tree.size() == 19999);
    CHECK((tree == first));
  });
}

TEST_CASE("The test problems have several groups, so that wrong linking is detected") {
  for (const ProblemKind& kind : problem_kinds()) {
    const NamedProblem named = make_problem(kind);
    if (kind.particles <= 2) continue;
    std::map<LocalIndex, Count> members;
    for (const LocalIndex label : reference_labels(named.problem, named.box)) ++members[label];
    INFO(named.name << ": " << members.size() << " groups");
    const bool whole = kind.name == "lattice" && !kind.velocity;
    CHECK((whole || members.size() > 1));
    CHECK(members.size() < kind.particles);
  }
}

TEST_CASE("One linker serves problems of different sizes one after the other") {
  for_each_backend([]<class Space>(Space space) {
    EmstBoruvkaLinker<Space> linker(space);
    for (const Count n : {Count{300}, Count{40}, Count{600}}) {
      const NamedProblem named = make_problem({"uniform", n, 0.1});
      const auto problem = problem_on_backend<Space>(named.problem);
      const auto expected = prim(named.problem);
      CHECK(vector_of(linker.spanning_tree(problem, {})) == expected);
      CHECK(labels_by(space, linker, named.problem) == reference_labels(named.problem, named.box));
    }
  });
}

TEST_CASE("A published tree of 1000 points is found") {
  const auto points_file = copse::test::data_file("arborx/mst_golden_test_points.csv");
  if (!std::filesystem::exists(points_file)) SKIP("needs arborx/ in COPSE_DATA_DIR");
  HostProblem problem;
  problem.friendship = make_friendship({.length = 0.1, .velocity = INFINITY}, unit_box<3>());
  io::PointFileOptions columns;
  columns.columns = "1-3";
  problem.position = io::read_points<3>(points_file, columns);
  REQUIRE(problem.size() == 1000);
  const auto published =
      io::read_points<3>(copse::test::data_file("arborx/mst_golden_test_edges.csv"), columns);
  REQUIRE(published.extent(0) == 999);
  std::vector<std::array<LocalIndex, 2>> expected;
  for (Count i = 0; i < 999; ++i) {
    const auto a = static_cast<LocalIndex>(published(i, 0));
    const auto b = static_cast<LocalIndex>(published(i, 1));
    expected.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(expected.begin(), expected.end());
  for_each_backend([&]<class Space>(Space space) {
    EmstBoruvkaLinker<Space> linker(space);
    const auto tree = vector_of(linker.spanning_tree(problem_on_backend<Space>(problem), {}));
    std::vector<std::array<LocalIndex, 2>> found;
    double length = 0;
    for (const TreeEdge& edge : tree) {
      found.push_back({edge.a, edge.b});
      length += std::sqrt(static_cast<double>(edge.distance2));
    }
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
    // A sum of 999 edges in single precision.
    CHECK(length == Catch::Approx(68.227884).epsilon(1e-6));
  });
}

}  // namespace
}  // namespace copse::fof::test
