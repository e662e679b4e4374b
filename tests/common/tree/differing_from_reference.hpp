#pragma once
/// \file
/// Comparison of the trees of engines and cut searches with the recursive sort.

#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <miniapps/orb/orb_inputs.hpp>
#include <miniapps/orb/reference_orb.hpp>

namespace copse::test {

/// Number of cells and particles of a tree that differ from the reference. `build(cells, arrays)`
/// makes the tree below the root, which is set, and reorders the arrays, whose permutation is not
/// initialised.
template <class Memory, class Build>
int differing_from_reference(const HostParticles& particles, std::uint32_t leaves, LeafRule rule,
                             Build&& build) {
  const Count n = particles.size();
  auto points = copy_particles<Memory>(particles).position;
  Points<3, Memory> spare("copse::test::spare", n);
  Kokkos::View<LocalIndex*, Memory> permutation("copse::test::permutation", n);
  Kokkos::View<LocalIndex*, Memory> spare_permutation("copse::test::spare_permutation", n);
  const ReferenceOrb expected = reference_orb(particles.position, particles.box, leaves, rule);
  Kokkos::View<OrbCell*, Memory> cells("copse::test::cells", expected.tree.cells.extent(0));
  OrbCell root;
  root.lower = particles.box.lower;
  root.upper = particles.box.upper;
  root.end = n;
  root.leaves = leaves;
  Kokkos::deep_copy(Kokkos::subview(cells, 1), root);
  build(cells, BisectionArrays<3, Memory>{points, spare, permutation, spare_permutation});

  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, cells);
  const auto order = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, permutation);
  int differing = 0;
  for (std::size_t i = 1; i < found.extent(0); ++i) {
    const OrbCell &a = found(i), &b = expected.tree.cells(i);
    differing += a.begin != b.begin || a.end != b.end || a.leaves != b.leaves || a.cut != b.cut ||
                 a.cut_axis != b.cut_axis;
  }
  for (Count i = 0; i < n; ++i) differing += order(i) != expected.permutation(i);
  return differing;
}

}  // namespace copse::test
