#pragma once
/// \file
/// The checks of `verify_orb` that look at cells alone, not at particles.

#include "verify_findings.hpp"
#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace copse {

/// Cells of a tree beside what they should be.
struct ExpectedHeap {
  Kokkos::View<const OrbCell*, Kokkos::HostSpace> cells;
  /// Leaves of each slot by definition; 0: no such cell. The checks walk the tree by these numbers
  /// and never by those of the cells, which may be wrong.
  std::vector<std::uint32_t> leaves;

  std::uint32_t slots() const { return static_cast<std::uint32_t>(leaves.size()); }
  bool is_cell(std::uint32_t id) const { return leaves[id] > 0; }
  bool is_leaf(std::uint32_t id) const { return leaves[id] == 1; }
  bool is_inner(std::uint32_t id) const { return leaves[id] > 1; }
};

/// Leaves of every slot of a heap with d leaves. Under LeafRule::complete a cell's leaves are its
/// descendants among cells d .. 2d - 1, which are the leaves of a heap without gaps; under
/// LeafRule::halves they are handed down from the root. d >= 1; O(d log d).
std::vector<std::uint32_t> expected_leaves(std::uint32_t d, LeafRule rule);

/// Fills `heap` for the tree's leaf count and compares the tree with it.
/// \return false if the number of slots is wrong, so that no other check can be made
bool check_heap_conditions(const OrbTree<Kokkos::HostSpace>& tree, ExpectedHeap& heap,
                           Verdict& verdict);
void check_leaf_counts(const ExpectedHeap& heap, Verdict& verdict);
/// \return false if rows cannot be attributed to cells
bool check_ranges(const ExpectedHeap& heap, Count particles, Verdict& verdict);
void check_boxes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict);
void check_volumes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict);
/// longest_axis_cut or cyclic_axis_cut
void check_cut_axes(const ExpectedHeap& heap, AxisRule rule, Verdict& verdict);

}  // namespace copse
