#pragma once
/// \file
/// The input of gravity walks on a backend: particles with masses, their octree and its moments.

#include "interaction_count.hpp"
#include <copse/gravity/direct_gravity.hpp>
#include <copse/traversal/visitors/barnes_hut.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/octree_builder.hpp>

#include <cmath>
#include <vector>

namespace copse::test {

using HostMasses = Kokkos::View<Real*, Kokkos::LayoutLeft, Kokkos::HostSpace>;

/// Moments up to order Highest; walks of order Highest and of order 1 use them.
template <class Space, int Highest = 2>
struct GravityProblem {
  using Memory = typename Space::memory_space;

  Space space;
  Points<3, Memory> points;  ///< in tree order
  typename OctreeBuilder<Space>::Permutation permutation;
  Kokkos::View<Real*, Kokkos::LayoutLeft, Memory> masses;
  Octree<Memory> tree;
  Multipoles<Highest, Memory> moments;
  GravityTree<Memory> gravity;
  Points<3, Kokkos::HostSpace> host_points;  ///< in tree order
  HostMasses host_masses;

  GravityProblem(const Space& on, const Points<3, Kokkos::HostSpace>& input,
                 const HostMasses& input_masses, const OctreeOptions& options)
      : space(on) {
    OctreeBuilder<Space> builder(space);
    points = Points<3, Memory>("copse::test::points", input.extent(0));
    Kokkos::deep_copy(points, input);
    tree = builder.build(points, permutation, options);
    const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
    host_masses = HostMasses("copse::test::masses", input.extent(0));
    for (Count i = 0; i < input.extent(0); ++i) host_masses(i) = input_masses(order(i));
    masses = decltype(masses)("copse::test::masses", input.extent(0));
    Kokkos::deep_copy(masses, host_masses);
    host_points = Points<3, Kokkos::HostSpace>("copse::test::points", input.extent(0));
    Kokkos::deep_copy(host_points, points);
    Workspace<Memory> workspace;
    compute_multipoles(space, tree, points, masses, workspace, moments);
  }

  Count size() const { return points.extent(0); }

  void open_at(double theta) {
    make_gravity_tree(space, tree, points, masses, moments, {.theta = theta}, gravity);
  }

  /// The visitor with all particles as queries and its own fields.
  template <int Order>
  requires(Order == 1 || Order == Highest) BarnesHut<Order, Memory> visitor(double softening)
  const {
    Kokkos::View<const Moments<Order>*, Memory> higher;
    if constexpr (Order == Highest) higher = moments.higher;
    return {OctreeView<Memory>(tree),
            gravity,
            higher,
            points,
            {Points<3, Memory>("copse::test::acceleration", size()),
             Kokkos::View<Real*, Kokkos::LayoutLeft, Memory>("copse::test::potential", size())},
            {static_cast<Real>(softening * softening), {}, {}}};
  }

  template <int Order>
  std::vector<GravityField<Real>> fields(WalkKind kind, double softening,
                                         const QueryList<Memory>& queries) const {
    const auto barnes_hut = visitor<Order>(softening);
    walk(space, kind, barnes_hut, queries);
    return on_host(barnes_hut.results);
  }
  template <int Order>
  std::vector<GravityField<Real>> fields(WalkKind kind, double softening = 0.0) const {
    return fields<Order>(kind, softening, {size(), {}});
  }

  std::vector<GravityField<Real>> on_host(const GravityFields<Memory>& there) const {
    space.fence("copse::test::fields");
    const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, there.acceleration);
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, there.potential);
    std::vector<GravityField<Real>> fields;
    for (Count i = 0; i < a.extent(0); ++i) fields.push_back({a(i, 0), a(i, 1), a(i, 2), p(i)});
    return fields;
  }

  InteractionCount<Memory> counting_visitor() const {
    using Counts = Kokkos::View<std::uint32_t*, Memory>;
    return {OctreeView<Memory>(tree), gravity, points, Counts("copse::test::nodes", size()),
            Counts("copse::test::rows", size())};
  }
};

/// Length of a - b relative to the length of b.
template <class A, class B>
double relative_error(const A& a, const B& exact) {
  const auto off = [](auto x, auto y) { return static_cast<double>(x) - static_cast<double>(y); };
  const double size = std::hypot(static_cast<double>(exact.x), static_cast<double>(exact.y),
                                 static_cast<double>(exact.z));
  return std::hypot(off(a.x, exact.x), off(a.y, exact.y), off(a.z, exact.z)) / size;
}

}  // namespace copse::test
