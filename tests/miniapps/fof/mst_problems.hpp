#pragma once
/// \file
/// Hard inputs for minimum spanning trees, and Prim's algorithm over all pairs as the oracle.

#include <copse/backend/backends.hpp>
#include <copse/particles/box.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <fof/linker.hpp>
#include <fof/mst/spanning_tree.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace copse::fof::test {

using HostProblem = LinkProblem<Kokkos::HostSpace>;

/// Particles in a box, with a linking length that leaves several groups.
struct NamedProblem {
  std::string name;
  Box<3> box;
  HostProblem problem;
};

struct ProblemKind {
  std::string name;
  Count particles;
  double length;
  bool periodic = false;
  bool velocity = false;
};

/// All in the unit box. No linking length equals the distance of two lattice sites.
inline std::vector<ProblemKind> problem_kinds() {
  return {{"uniform", 900, 0.08},
          {"uniform", 700, 0.08, true},
          {"uniform", 700, 0.2, false, true},
          {"uniform", 600, 0.12, true, true},
          {"clusters", 900, 0.01},
          {"clusters", 700, 0.02, true, true},
          {"lattice", 729, 0.13},
          {"lattice", 512, 0.13, true},
          {"lattice", 512, 0.13, true, true},
          {"coincident", 400, 0.2},
          {"coincident", 300, 0.2, false, true},
          {"collinear", 500, 0.004},
          {"coplanar", 500, 0.03},
          {"uniform", 0, 0.1},
          {"uniform", 1, 0.1},
          {"uniform", 2, 0.1},
          {"coincident", 2, 0.1}};
}

inline NamedProblem make_problem(const ProblemKind& kind) {
  std::mt19937 random(7);
  const auto uniform = [&random] {
    return static_cast<Real>(std::uniform_real_distribution<double>(0, 1)(random));
  };
  NamedProblem named;
  named.name = kind.name + (kind.periodic ? ", periodic" : "") +
               (kind.velocity ? ", 6-D, " : ", 3-D, ") + std::to_string(kind.particles);
  named.box = unit_box<3>(kind.periodic);
  const double psi = kind.velocity ? 2.0 : std::numeric_limits<double>::infinity();
  HostProblem& problem = named.problem;
  problem.friendship = make_friendship({.length = kind.length, .velocity = psi}, named.box);
  const Count n = kind.particles;
  problem.position = Points<3, Kokkos::HostSpace>("copse::test::position", n);
  if (kind.velocity) problem.velocity = Points<3, Kokkos::HostSpace>("copse::test::velocity", n);
  for (Count i = 0; i < n; ++i) {
    // 20 bits, so that multiples are exact.
    const Real along = std::floor(uniform() * Real(1 << 20)) / Real(1 << 20);
    for (Count a = 0; a < 3; ++a) {
      Real& x = problem.position(i, a);
      x = uniform();
      // Ten clusters with sizes and densities that vary by a factor of a thousand.
      if (kind.name == "clusters")
        x = std::fmod(Real(0.1) * std::floor(along * along * 10) + x * x * x * Real(0.2), Real(1));
      // Eight sites per axis, or nine with the upper face; distances are exact, with many ties.
      const Count side = kind.periodic || kind.velocity ? 8 : 9;
      const Count step[3] = {1, side, side * side};
      if (kind.name == "lattice") x = static_cast<Real>(i / step[a] % side) / 8;
      if (kind.name == "coincident") x = std::floor(x * 3) / 4;
      if (kind.name == "collinear") x = along * static_cast<Real>(a + 1) / 4;
      if (kind.name == "coplanar" && a == 2) x = Real(0.5);
      if (kind.velocity)
        problem.velocity(i, a) = kind.name == "lattice" ? std::floor(uniform() * 3) : uniform() * 4;
    }
  }
  return named;
}

template <class Space>
LinkProblem<typename Space::memory_space> problem_on_backend(const HostProblem& host) {
  LinkProblem<typename Space::memory_space> problem;
  problem.friendship = host.friendship;
  problem.position = {"copse::test::position", host.position.extent(0)};
  problem.velocity = {"copse::test::velocity", host.velocity.extent(0)};
  Kokkos::deep_copy(problem.position, host.position);
  Kokkos::deep_copy(problem.velocity, host.velocity);
  return problem;
}

/// The distance, implemented independently.
inline Real distance2(const HostProblem& problem, Count i, Count j) {
  Real sum = 0;
  for (int a = 0; a < 3; ++a) {
    Real d = std::fabs(problem.position(i, a) - problem.position(j, a));
    d = std::min(d, problem.friendship.period[a] - d);
    sum = std::fma(d, d, sum);
  }
  if (!problem.has_velocity()) return sum;
  Real speed2 = 0;
  for (int a = 0; a < 3; ++a) {
    const Real d = problem.velocity(i, a) - problem.velocity(j, a);
    speed2 = std::fma(d, d, speed2);
  }
  return std::fma(speed2, problem.friendship.velocity_factor, sum);
}

/// Grows the tree from particle 0 by its shortest outgoing edge (Prim 1957), O(n^2); sorted.
inline std::vector<TreeEdge> prim(const HostProblem& problem) {
  const Count n = problem.size();
  const Real infinity = std::numeric_limits<Real>::infinity();
  std::vector<TreeEdge> tree;
  std::vector<TreeEdge> best(n, {infinity, 0, 0});  // from the tree to each particle
  std::vector<bool> inside(n, false);
  Count last = 0;
  for (Count size = 1; size < n; ++size) {
    inside[last] = true;
    Count nearest = n;
    for (Count j = 0; j < n; ++j) {
      if (inside[j]) continue;
      const TreeEdge edge{distance2(problem, last, j), static_cast<LocalIndex>(std::min(last, j)),
                          static_cast<LocalIndex>(std::max(last, j))};
      best[j] = std::min(best[j], edge);
      if (nearest == n || best[j] < best[nearest]) nearest = j;
    }
    tree.push_back(best[nearest]);
    last = nearest;
  }
  std::sort(tree.begin(), tree.end());
  return tree;
}

template <class ViewT>
auto vector_of(const ViewT& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  return std::vector<typename ViewT::non_const_value_type>(host.data(),
                                                           host.data() + host.extent(0));
}

/// The labels from a method.
template <class Space, class Linker>
std::vector<LocalIndex> labels_by(const Space& space, Linker& linker, const HostProblem& host,
                                  const LinkOptions& options = {}) {
  const Labels<typename Space::memory_space> labels("copse::test::labels", host.size());
  linker.link(problem_on_backend<Space>(host), options, labels);
  space.fence();
  return vector_of(labels);
}

}  // namespace copse::fof::test
