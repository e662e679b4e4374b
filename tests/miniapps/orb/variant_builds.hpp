#pragma once
/// \file
/// Builds of a variant from host particles, and their comparison with the reference.

#include "orb_inputs.hpp"
#include "reference_orb.hpp"
#include <copse/backend/backends.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <orb/build_variant.hpp>
#include <string>
#include <vector>

namespace copse::test {

using namespace orb;

struct VariantBuild {
  OrbTree<Kokkos::HostSpace> tree;
  OrbRows<Kokkos::HostSpace> rows;
  BuildLog log;
};

/// Builds on `space`, if `twice` a second time in the arrays of the first build; with placement
/// count_on_device the rows stay on the host.
template <class Space>
VariantBuild build_as(const Space& space, const HostParticles& particles, const OrbOptions& options,
                      const Variant& variant, bool twice = false) {
  VariantBuild built;
  const auto fetch = [&](const auto& tree, const auto& rows) {
    built.tree.cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, tree.cells);
    built.tree.leaves = tree.leaves;
    built.tree.rule = tree.rule;
    built.tree.axis_rule = tree.axis_rule;
    built.rows.points = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, rows.points);
    built.rows.permutation =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, rows.permutation);
  };
  const auto run = [&]<class Memory>(auto builder, OrbRows<Memory>& rows) {
    for (int repeat = 0; repeat < (twice ? 2 : 1); ++repeat) {
      rows.points = copy_particles<Memory>(particles).position;
      built.log = {};
      const auto tree = builder.build(rows, options, variant, built.log);
      if (repeat == (twice ? 1 : 0)) fetch(tree, rows);
    }
  };
  if (variant.placement == Placement::count_on_device) {
    OrbRows<Kokkos::HostSpace> rows;
    run(CountingBuilder<Space>(space, variant.batch > 0), rows);
  } else {
    OrbRows<typename Space::memory_space> rows;
    run(VariantBuilder<Space>(space, variant.placement), rows);
  }
  return built;
}

inline bool same_cell(const OrbCell& x, const OrbCell& y) {
  bool same = x.begin == y.begin && x.end == y.end && x.leaves == y.leaves &&
              x.cut_axis == y.cut_axis && x.cut == y.cut;
  for (int axis = 0; axis < 3; ++axis)
    same = same && x.lower[axis] == y.lower[axis] && x.upper[axis] == y.upper[axis];
  return same;
}

/// Counts cells that differ from the reference's, rows with wrong contents, and leaves that contain
/// other rows than the reference's, or in another order if the variant keeps it.
inline int differences(const VariantBuild& built, const HostParticles& input,
                       const ReferenceOrb& expected, bool is_stable) {
  if (built.tree.cells.extent(0) != expected.tree.cells.extent(0)) return -1;
  const Count n = input.size();
  if (built.rows.permutation.extent(0) != n || built.rows.points.extent(0) != n) return -1;
  int differing = 0;
  for (std::size_t i = 1; i < expected.tree.cells.extent(0); ++i)
    differing += !same_cell(built.tree.cells(i), expected.tree.cells(i));
  if (differing > 0) return differing;
  for (Count i = 0; i < n; ++i) {
    const LocalIndex from = built.rows.permutation(i);
    if (from >= n) return -1;
    bool same = true;
    for (int axis = 0; axis < 3; ++axis)
      same = same && built.rows.points(i, axis) == input.position(from, axis);
    differing += !same;
  }
  for (std::size_t id = 1; id < expected.tree.cells.extent(0); ++id) {
    const OrbCell& leaf = expected.tree.cells(id);
    if (leaf.leaves != 1) continue;
    std::vector<LocalIndex> found, wanted;
    for (Count i = leaf.begin; i < leaf.end; ++i) {
      found.push_back(built.rows.permutation(i));
      wanted.push_back(expected.permutation(i));
    }
    if (!is_stable) {
      std::sort(found.begin(), found.end());
      std::sort(wanted.begin(), wanted.end());
    }
    differing += found != wanted;
  }
  return differing;
}

}  // namespace copse::test
