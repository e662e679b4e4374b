// Oracle: equation 5.1 of [Liu 2019] evaluated in double by recursion over the tree on the host.
#include "common/traversal/gravity_problem.hpp"
#include "common/traversal/point_sets.hpp"
#include <copse/backend/backends.hpp>
#include <copse/backend/error.hpp>
#include <copse/gravity/inclusion.hpp>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace copse::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Catch::Approx;

template <class View>
auto there(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
}

HostMasses clustered_masses(Count n) {
  HostMasses masses("copse::test::masses", n);
  for (Count i = 0; i < n; ++i) masses(i) = Real(1 + i % 7);
  return masses;
}

template <class Space>
GravityProblem<Space> problem_on(const Space& space, Branching branching,
                                 const OpeningCriterion& criterion) {
  const Count n = 3000;
  GravityProblem<Space> problem(space, make_points<3>("clumps", n, 5), clustered_masses(n),
                                {.bucket_size = 12, .branching = branching});
  make_gravity_tree(space, problem.tree, problem.points, problem.masses, problem.moments, criterion,
                    problem.gravity);
  return problem;
}

/// A tree with its radii in double.
struct Balls {
  Octree<Kokkos::HostSpace> tree;
  Kokkos::View<const Monopole*, Kokkos::HostSpace> monopole;
  std::vector<double> radius;

  template <class Space>
  explicit Balls(const GravityProblem<Space>& problem) : monopole(there(problem.gravity.monopole)) {
    tree.nodes = there(problem.tree.nodes);
    const auto opening2 = there(problem.gravity.opening2);
    for (Count i = 0; i < opening2.extent(0); ++i) radius.push_back(std::sqrt(double(opening2(i))));
  }

  double distance(Count a, Count b) const {
    double sum = 0.0;
    for (int d = 0; d < 3; ++d)
      sum += std::pow(double(monopole(a).centre[d]) - double(monopole(b).centre[d]), 2);
    return std::sqrt(sum);
  }
  /// What must be covered: not leaves that everybody opens.
  bool has_ball(Count node) const {
    return !(tree.nodes(node).is_leaf() && std::isinf(radius[node]));
  }
  /// Equation 5.1 for one parent, with the given radii of children.
  double covering(Count parent, const std::vector<double>& of_children) const {
    double needed = 0.0;
    const OctreeNode node = tree.nodes(parent);
    for (Count c = node.first_child; c < node.first_child + Count(node.child_count); ++c)
      if (has_ball(c)) needed = std::max(needed, distance(parent, c) + of_children[c]);
    return needed;
  }
  Count uncovered() const {
    Count count = 0;
    for (Count i = 0; i < tree.nodes.extent(0); ++i) {
      const OctreeNode node = tree.nodes(i);
      for (Count c = node.first_child; c < node.first_child + Count(node.child_count); ++c)
        count += has_ball(c) && distance(i, c) + radius[c] > radius[i];
    }
    return count;
  }
};

const std::vector<OpeningCriterion> criteria{{OpeningKind::barnes, 0.7},
                                             {OpeningKind::changa, 0.7},
                                             {OpeningKind::bmax, 0.5},
                                             {OpeningKind::min_distance, 0.9}};

TEST_CASE("Enlarged radii are those of equation 5.1, from the bottom up or once") {
  for (const Branching branching : {Branching::octree, Branching::binary})
    for (const OpeningCriterion& criterion : criteria) {
      INFO(branching_names[std::size_t(branching)] << " " << opening_names[int(criterion.kind)]);
      auto problem = problem_on(Host{}, branching, criterion);
      const Balls plain(problem);
      const double size = criterion.kind == OpeningKind::changa ? 2 / std::sqrt(3.0)
                                                                : 1.0;  // 2 b / (sqrt(3) theta)
      for (const Inclusion way : {Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
        make_gravity_tree(Host{}, problem.tree, problem.points, problem.masses, problem.moments,
                          criterion, problem.gravity);
        enlarge_radii(Host{}, problem.tree, criterion, way, problem.gravity);
        const Balls found(problem);
        std::vector<double> expected = plain.radius;
        for (Count i = expected.size(); i-- > 0;) {
          const bool once = way == Inclusion::top_down;
          double needed = plain.covering(i, once ? plain.radius : expected);
          if (way == Inclusion::radius) needed *= size / criterion.theta;
          expected[i] = std::max(expected[i], needed);
        }
        // Radii are rounded up by 8 ulps at each level, at most 40 of them here.
        Count different = 0, smaller = 0;
        for (Count i = 0; i < expected.size(); ++i) {
          if (std::isinf(expected[i]) && std::isinf(found.radius[i])) continue;
          different += !(found.radius[i] == Approx(expected[i]).epsilon(1e-4));
          smaller += found.radius[i] < expected[i] * (1 - 1e-7);
        }
        CHECK(different == 0);
        CHECK(smaller == 0);
      }
    }
}

TEST_CASE("Radii from the bottom up cover all children; the published radii from the top do not") {
  for (const Branching branching : {Branching::octree, Branching::binary})
    for (const OpeningCriterion& criterion : criteria) {
      INFO(branching_names[std::size_t(branching)] << " " << opening_names[int(criterion.kind)]);
      for (const Inclusion way :
           {Inclusion::none, Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
        auto problem = problem_on(Host{}, branching, criterion);
        enlarge_radii(Host{}, problem.tree, criterion, way, problem.gravity);
        const UncoveredNodes counted = count_uncovered(Host{}, problem.tree, problem.gravity);
        CHECK(counted.inner + counted.leaves == Balls(problem).uncovered());
        if (way == Inclusion::radius || way == Inclusion::opening)
          CHECK(counted.inner + counted.leaves == 0);
        else if (branching == Branching::binary)
          CHECK(counted.inner > 0);
      }
    }
}

TEST_CASE("Enlarged radii are the same bits on every backend") {
  const OpeningCriterion criterion{OpeningKind::changa, 0.7};
  for (const Inclusion way : {Inclusion::radius, Inclusion::opening, Inclusion::top_down}) {
    const auto radii_on = [&]<class Space>(const Space& space) {
      auto problem = problem_on(space, Branching::binary, criterion);
      enlarge_radii(space, problem.tree, criterion, way, problem.gravity);
      const auto radii = there(problem.gravity.opening2);
      return std::vector<Real>(radii.data(), radii.data() + radii.size());
    };
    const auto expected = radii_on(Host{});
    for_each_backend([&](const auto& space) {
      const auto found = radii_on(space);
      REQUIRE(found.size() == expected.size());
      CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(Real)) == 0);
    });
  }
}

TEST_CASE("Every node stays open at an angle of zero, and the relative criterion has no radii") {
  auto problem = problem_on(Host{}, Branching::octree, {OpeningKind::barnes, 0.0});
  enlarge_radii(Host{}, problem.tree, {OpeningKind::barnes, 0.0}, Inclusion::opening,
                problem.gravity);
  for (const double r : Balls(problem).radius) CHECK(std::isinf(r));
  CHECK_THROWS_AS(enlarge_radii(Host{}, problem.tree, {OpeningKind::relative, 0.5},
                                Inclusion::opening, problem.gravity),
                  InputError);
}

}  // namespace
}  // namespace copse::test
