#pragma once
/// \file
/// Builds a tree level by level: root, identity permutation, spare arrays, `bisect`.

#include "build_variant.hpp"
#include "partition/atomic.hpp"
#include "partition/hoare.hpp"
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/error.hpp>
#include <copse/tree/bisection.hpp>
#include <copse/tree/orb_policy.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <fmt/format.h>

namespace copse::orb {

/// The out-of-place movers behind one type, so that a level is compiled once for both.
struct OrbMover {
  static constexpr bool in_place = false;
  PartitionMethod method = PartitionMethod::scan;

  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace, class... Ts>
  auto operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  const Columns<Ts...>& columns, Workspace<MemorySpace>& workspace) const {
    return method == PartitionMethod::atomic
               ? MoveByAtomics{}(space, keys, level, columns, workspace)
               : MoveStably{}(space, keys, level, columns, workspace);
  }
};

/// Bytes that build_levels allocates in addition to the rows and the workspace of its search: the
/// spare arrays, if the mover works out of place, and the movers' data per cell.
inline Count levels_bytes(Count n, std::uint32_t leaves, PartitionMethod partition) {
  const int levels = orb_depth(leaves);
  const Count cells = most_cells_cut(levels);
  const Count bytes = orb_tree_bytes(leaves) + level_arrays_bytes(levels);
  if (partition == PartitionMethod::hoare) return bytes + cells * 16;
  if (partition == PartitionMethod::atomic) return bytes + cells * 64 + n * point_row_bytes;
  return bytes + n * point_row_bytes + MoveStably::workspace_bytes<OrderedKey<Real>>(n, cells);
}

/// Builds a tree with a cut search and a mover of bisection.hpp. Allocates the spare arrays unless
/// those of an earlier build fit; an in-place mover needs none.
/// \throws InputError for a number of leaves that no tree can have
template <class ExecutionSpace, class Search, class Mover>
OrbTree<typename ExecutionSpace::memory_space> build_levels(
    const ExecutionSpace& space, OrbRows<typename ExecutionSpace::memory_space>& rows,
    const OrbOptions& options, Search&& search, Mover&& mover,
    LevelArrays<typename ExecutionSpace::memory_space>& arrays) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (options.leaves < 1 || options.leaves > max_orb_leaves)
    throw InputError(fmt::format("the number of leaves must be from 1 to {}, not {}",
                                 max_orb_leaves, options.leaves));
  const Count n = rows.points.extent(0);
  const auto alloc = [](const char* label) {
    return Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing);
  };
  if (rows.permutation.extent(0) != n)
    rows.permutation = Kokkos::View<LocalIndex*, MemorySpace>(alloc("copse::orb::permutation"), n);
  OrbRows<MemorySpace>& spare = arrays.spare;
  constexpr bool in_place = std::remove_cvref_t<Mover>::in_place;
  if (!in_place && spare.points.extent(0) != n) {
    spare = {};  // free before allocating
    spare.points = Points<3, MemorySpace>(alloc("copse::orb::spare_points"), n);
    spare.permutation =
        Kokkos::View<LocalIndex*, MemorySpace>(alloc("copse::orb::spare_permutation"), n);
  }
  // An in-place mover never writes to the targets, so any arrays of this size will do.
  OrbRows<MemorySpace> unused = rows;
  OrbRows<MemorySpace>& target = in_place ? unused : spare;
  OrbTree<MemorySpace> tree;
  tree.leaves = options.leaves;
  tree.rule = options.rule;
  tree.axis_rule = options.axis_rule;
  tree.cells = Kokkos::View<OrbCell*, MemorySpace>("copse::orb::cells",
                                                   Count{2} << orb_depth(options.leaves));
  OrbCell root;
  root.lower = options.box.lower;
  root.upper = options.box.upper;
  root.end = n;
  root.leaves = options.leaves;
  Kokkos::deep_copy(space, Kokkos::subview(tree.cells, 1), root);
  number_rows("copse::orb::identity", space, rows.permutation);
  bisect(space, OrbPolicy{options.rule, options.axis_rule}, tree.cells, orb_depth(options.leaves),
         BisectionArrays<3, MemorySpace>{rows.points, target.points, rows.permutation,
                                         target.permutation},
         arrays.workspace, search, mover);
  space.fence("copse::orb::build_levels");
  return tree;
}

}  // namespace copse::orb
