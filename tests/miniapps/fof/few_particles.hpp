#pragma once
/// \file
/// Small sets of particles with explicit coordinates, and their groups: the correct answer in tests
/// of published algorithms.

#include <copse/algorithms/union_find.hpp>
#include <copse/particles/box.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <fof/friendship.hpp>
#include <fof/linker.hpp>
#include <fof/reference.hpp>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace copse::fof::test {

using RealVector = std::array<Real, 3>;

struct FewParticles {
  std::vector<RealVector> position;
  std::vector<RealVector> velocity;  ///< same size as `position`, or empty in 3-D

  LocalIndex size() const { return static_cast<LocalIndex>(position.size()); }
};

/// The smallest particle index of each particle's group.
using Groups = std::vector<LocalIndex>;
using Edge = std::pair<LocalIndex, LocalIndex>;

inline constexpr double no_velocity_link = std::numeric_limits<double>::infinity();

inline Box<3> wide_box() {
  Box<3> box;
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = -1000;
    box.upper[a] = 1000;
  }
  return box;
}

/// n sets of one particle each.
inline UnionFind<Kokkos::HostSpace> singletons(LocalIndex n) {
  UnionFind<Kokkos::HostSpace> sets{
      Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, Kokkos::HostSpace>("copse::test::parent", n)};
  std::iota(sets.parent.data(), sets.parent.data() + n, LocalIndex{0});
  return sets;
}

inline Groups groups_of(const UnionFind<Kokkos::HostSpace>& sets) {
  Groups groups;
  for (LocalIndex i = 0; i < sets.parent.extent(0); ++i) groups.push_back(sets.find(i));
  return groups;
}

/// Connected components of a graph.
inline Groups groups_of(LocalIndex n, const std::vector<Edge>& edges) {
  const auto sets = singletons(n);
  for (const auto& [a, b] : edges) sets.unite(a, b);
  return groups_of(sets);
}

/// Connected components of the graph of all pairs i != j with linked(i, j).
template <class Linked>
Groups groups_where(LocalIndex n, Linked&& linked) {
  std::vector<Edge> edges;
  for (LocalIndex i = 0; i < n; ++i)
    for (LocalIndex j = 0; j < n; ++j)
      if (i != j && linked(i, j)) edges.emplace_back(i, j);
  return groups_of(n, edges);
}

inline LinkProblem<Kokkos::HostSpace> link_problem(const FewParticles& particles,
                                                   const LinkingLengths& links, const Box<3>& box) {
  const auto columns = [](const char* label, const std::vector<RealVector>& rows) {
    Points<3, Kokkos::HostSpace> points(label, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (int a = 0; a < 3; ++a) points(i, a) = rows[i][static_cast<std::size_t>(a)];
    return points;
  };
  return {columns("copse::test::position", particles.position),
          columns("copse::test::velocity", particles.velocity), make_friendship(links, box)};
}

/// The groups by the definition of this suite, computed in two ways: Friendship between all pairs
/// with UnionFind, and the flood fill.
inline Groups right_groups(const FewParticles& particles, const LinkingLengths& links,
                           const Box<3>& box = wide_box()) {
  const auto problem = link_problem(particles, links, box);
  const auto at = [](const Points<3, Kokkos::HostSpace>& points, LocalIndex i) {
    return LanePoint<OneLane, 3>{points(i, 0), points(i, 1), points(i, 2)};
  };
  const auto friends = [&](LocalIndex i, LocalIndex j) {
    const auto& rule = problem.friendship;
    Real sum = rule.distance2<OneLane>(at(problem.position, i),
                                       PointAt<3, Kokkos::HostSpace>{problem.position, j});
    if (problem.has_velocity())
      sum = rule.with_velocity2<OneLane>(sum, at(problem.velocity, i),
                                         PointAt<3, Kokkos::HostSpace>{problem.velocity, j});
    return sum < rule.reach2;
  };
  const Groups groups = groups_where(particles.size(), friends);
  CHECK(groups == reference_labels(problem, box));
  return groups;
}

/// Eq. 3.2.
inline Real distance(const RealVector& a, const RealVector& b) {
  const Real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

/// Left side of eq. 3.3.
inline Real phase_distance(const FewParticles& p, LocalIndex i, LocalIndex j,
                           const LinkingLengths& links) {
  const Real x = distance(p.position[i], p.position[j]) / static_cast<Real>(links.length);
  const Real v = distance(p.velocity[i], p.velocity[j]) / static_cast<Real>(links.velocity);
  return x * x + v * v;
}

}  // namespace copse::fof::test
