#pragma once
/// \file
/// Builds with OrbBuilder and any engine, and their comparison with the recursive sort.

#include <copse/backend/backends.hpp>
#include <copse/tree/orb_builder.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_orb.hpp>
#include <utility>

namespace copse::test {

/// A tree that OrbBuilder has built, on the host.
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
            LeafRule rule) {
  using Memory = typename Space::memory_space;
  auto points = copy_particles<Memory>(particles).position;
  typename OrbBuilder<Space>::Permutation permutation;
  return fetch(
      builder.build(points, permutation, {.leaves = leaves, .rule = rule, .box = particles.box}),
      permutation, points);
}

/// Builds positions without a permutation; the spare array is filled with junk, or not allocated.
template <class Space>
Built build_positions(OrbBuilder<Space>& builder, const HostParticles& particles,
                      std::uint32_t leaves, LeafRule rule) {
  using Memory = typename Space::memory_space;
  auto points = copy_particles<Memory>(particles).position;
  Points<3, Memory> spare("copse::test::spare", leaves % 2 == 0 ? points.extent(0) : 0);
  Kokkos::deep_copy(spare, Real(0.25));
  const auto tree =
      builder.build(points, spare, {.leaves = leaves, .rule = rule, .box = particles.box});
  return fetch(tree, typename OrbBuilder<Space>::Permutation(), points);
}

inline int differing_cells(const OrbTree<Kokkos::HostSpace>& a,
                           const OrbTree<Kokkos::HostSpace>& b) {
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

/// Positions built without a permutation are compared by their coordinates.
inline int differing_rows(const Built& a, const ReferenceOrb& b) {
  if (a.position.extent(0) != b.position.extent(0)) return -1;
  int differing = 0;
  for (std::size_t i = 0; i < a.position.extent(0); ++i) {
    bool same = a.permutation.extent(0) == 0 || a.permutation(i) == b.permutation(i);
    for (int axis = 0; axis < 3; ++axis) same = same && a.position(i, axis) == b.position(i, axis);
    differing += !same;
  }
  return differing;
}

/// Builds with the engine that `make_engine(space)` returns on each backend.
template <class MakeEngine>
void check_against_reference(const MakeEngine& make_engine, const HostParticles& particles,
                             std::uint32_t leaves, LeafRule rule) {
  const ReferenceOrb expected = reference_orb(particles.position, particles.box, leaves, rule);
  for_each_backend([&]<class Space>(Space space) {
    INFO(backend_name<Space>());
    OrbBuilder<Space> builder(space, make_engine(space));
    // Twice: the second build reuses the arrays of the first.
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Built built = build(builder, particles, leaves, rule);
      CHECK(differing_cells(built.tree, expected.tree) == 0);
      CHECK(built.permutation.extent(0) == expected.permutation.extent(0));
      CHECK(differing_rows(built, expected) == 0);
      const Built positions = build_positions(builder, particles, leaves, rule);
      CHECK(differing_cells(positions.tree, expected.tree) == 0);
      CHECK(differing_rows(positions, expected) == 0);
    }
  });
}

/// Few and many particles of every kind in few and many leaves.
template <class MakeEngine>
void check_small_inputs(const MakeEngine& make_engine) {
  for (const char* name : {"random", "sorted", "reversed", "constant", "on_lower_face",
                           "duplicates", "lattice", "clustered", "neighbours"})
    for (Count n : {0, 1, 2, 5, 100, 5000})
      for (std::uint32_t leaves : {1u, 2u, 3u, 8u, 13u, 64u})
        for (LeafRule rule : {LeafRule::complete, LeafRule::halves}) {
          INFO(name << ", n = " << n << ", " << leaves << " leaves, rule "
                    << static_cast<int>(rule));
          check_against_reference(make_engine, named_input(name, n), leaves, rule);
        }
}

/// Cells large enough to be searched by sampling, and trees of many levels.
template <class MakeEngine>
void check_large_inputs(const MakeEngine& make_engine) {
  for (const char* name : {"random", "clustered", "duplicates", "lattice"}) {
    INFO(name);
    check_against_reference(make_engine, named_input(name, 300000), 37, LeafRule::complete);
  }
  // Deep enough for two rounds of the fused engine, the second one partial.
  check_against_reference(make_engine, named_input("clustered", 300000), 150, LeafRule::halves);
}

/// More leaves than particles.
template <class MakeEngine>
void check_surplus_leaves(const MakeEngine& make_engine) {
  check_against_reference(make_engine, named_input("random", 50), 4096, LeafRule::complete);
  check_against_reference(make_engine, named_input("random", 50), 1000, LeafRule::halves);
}

}  // namespace copse::test
