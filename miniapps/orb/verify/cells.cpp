/// \file
/// The checks of cells alone, without particles.

#include "checks.hpp"
#include "verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::orb {

std::vector<std::uint32_t> expected_leaves(std::uint32_t d, LeafRule rule) {
  std::size_t widest_level = 1;
  while (widest_level < d) widest_level *= 2;
  std::vector<std::uint32_t> leaves(2 * widest_level, 0);
  if (rule == LeafRule::halves) {
    leaves[1] = d;
    for (std::size_t id = 1; id < widest_level; ++id) {
      if (leaves[id] < 2) continue;
      leaves[2 * id + 1] = leaves[id] / 2;
      leaves[2 * id] = leaves[id] - leaves[id] / 2;
    }
    return leaves;
  }
  const std::uint64_t first_leaf = d;
  const std::uint64_t last_leaf = 2 * std::uint64_t{d} - 1;
  for (std::uint64_t id = 1; id <= last_leaf; ++id) {
    // The descendants of `id`, level by level, are the ids [first, last].
    for (std::uint64_t first = id, last = id; first <= last_leaf; first *= 2, last = 2 * last + 1) {
      const std::uint64_t low = std::max(first, first_leaf);
      const std::uint64_t high = std::min(last, last_leaf);
      if (low <= high) leaves[id] += static_cast<std::uint32_t>(high - low + 1);
    }
  }
  return leaves;
}

bool check_heap_conditions(const OrbTree<Kokkos::HostSpace>& tree, ExpectedHeap& heap,
                           Verdict& verdict) {
  Finding finding;
  const Count slots = tree.cells.extent(0);
  // Compare before allocating anything of that size: the leaf count may be invalid.
  if (tree.leaves >= 1 && 2 * Count{tree.leaves} <= slots)
    heap.leaves = expected_leaves(tree.leaves, tree.rule);
  if (heap.leaves.size() != slots || slots == 0) {
    finding.add(1, "a tree of {} leaves cannot have {} slots", tree.leaves, slots);
    verdict.conclude(orb_check::heap_conditions, finding);
    return false;
  }
  heap.cells = tree.cells;

  Count cells = 0;
  std::uint32_t deepest = 0;
  for (std::uint32_t id = 0; id < heap.slots(); ++id) {
    const bool exists = tree.cells(id).leaves > 0;
    finding.add(exists != heap.is_cell(id), "slot {} {} a cell, which it should{} be", id,
                exists ? "is" : "is not", exists ? " not" : "");
    if (!exists) continue;
    ++cells;
    deepest = id;
    if (id >= heap.slots() / 2) continue;
    const std::uint64_t below =
        std::uint64_t{tree.cells(2 * id).leaves} + tree.cells(2 * id + 1).leaves;
    finding.add(below != (tree.cells(id).leaves > 1 ? tree.cells(id).leaves : 0),
                "cell {} has {} leaves but its children have {}", id, tree.cells(id).leaves, below);
  }
  finding.add(cells != 2 * Count{tree.leaves} - 1, "{} leaves need {} cells, there are {}",
              tree.leaves, 2 * Count{tree.leaves} - 1, cells);
  int depth = 0;
  while (deepest >>= 1) ++depth;
  const int expected_depth =
      static_cast<int>(std::ceil(std::log2(static_cast<double>(tree.leaves))));
  finding.add(depth != expected_depth, "{} leaves need {} levels below the root, there are {}",
              tree.leaves, expected_depth, depth);
  verdict.conclude(orb_check::heap_conditions, finding);
  return true;
}

void check_leaf_counts(const ExpectedHeap& heap, Verdict& verdict) {
  Finding finding;
  for (std::uint32_t id = 1; id < heap.slots(); ++id)
    finding.add(heap.cells(id).leaves != heap.leaves[id],
                "cell {} has {} leaves, the leaf rule gives it {}", id, heap.cells(id).leaves,
                heap.leaves[id]);
  verdict.conclude(orb_check::leaf_counts, finding);
}

bool check_ranges(const ExpectedHeap& heap, Count particles, Verdict& verdict) {
  Finding finding;
  const OrbCell& root = heap.cells(1);
  finding.add(root.begin != 0 || root.end != particles,
              "the root holds rows [{}, {}) of {} particles", root.begin, root.end, particles);
  Count rows_in_leaves = 0;
  for (std::uint32_t id = 1; id < heap.slots(); ++id) {
    if (!heap.is_cell(id)) continue;
    const OrbCell& cell = heap.cells(id);
    finding.add(cell.begin > cell.end || cell.end > particles,
                "cell {} holds rows [{}, {}) of {} particles", id, cell.begin, cell.end, particles);
    if (heap.is_leaf(id)) {
      rows_in_leaves += cell.end - cell.begin;
      continue;
    }
    const OrbCell& left = heap.cells(2 * id);
    const OrbCell& right = heap.cells(2 * id + 1);
    finding.add(
        left.begin != cell.begin || left.end != right.begin || right.end != cell.end,
        "the rows [{}, {}) and [{}, {}) of its children do not tile the rows [{}, {}) of cell {}",
        left.begin, left.end, right.begin, right.end, cell.begin, cell.end, id);
  }
  finding.add(rows_in_leaves != particles, "the leaves hold {} rows of {} particles",
              rows_in_leaves, particles);
  return verdict.conclude(orb_check::ranges_tile, finding);
}

void check_boxes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict) {
  Finding finding;
  for (int a = 0; a < 3; ++a) {
    const OrbCell& root = heap.cells(1);
    finding.add(!(root.lower[a] == domain.lower[a] && root.upper[a] == domain.upper[a]),
                "the root spans [{}, {}] on axis {}, the domain [{}, {}]", root.lower[a],
                root.upper[a], a, domain.lower[a], domain.upper[a]);
  }
  for (std::uint32_t id = 1; id < heap.slots(); ++id) {
    if (!heap.is_inner(id)) continue;
    const OrbCell& cell = heap.cells(id);
    const OrbCell& left = heap.cells(2 * id);
    const OrbCell& right = heap.cells(2 * id + 1);
    for (int a = 0; a < 3; ++a) {
      const bool cut_here = a == cell.cut_axis;
      const bool outer_faces = left.lower[a] == cell.lower[a] && right.upper[a] == cell.upper[a];
      const bool inner_faces = left.upper[a] == (cut_here ? cell.cut : cell.upper[a]) &&
                               right.lower[a] == (cut_here ? cell.cut : cell.lower[a]);
      finding.add(!(outer_faces && inner_faces),
                  "on axis {} the children [{}, {}] and [{}, {}] are not cell {}, which spans "
                  "[{}, {}] and is cut at {} on axis {}",
                  a, left.lower[a], left.upper[a], right.lower[a], right.upper[a], id,
                  cell.lower[a], cell.upper[a], cell.cut, cell.cut_axis);
      finding.add(cut_here && !(cell.lower[a] <= cell.cut && cell.cut <= cell.upper[a]),
                  "cell {} spans [{}, {}] on axis {} and is cut outside, at {}", id, cell.lower[a],
                  cell.upper[a], a, cell.cut);
    }
  }
  verdict.conclude(orb_check::boxes_match, finding);
}

void check_volumes(const ExpectedHeap& heap, const Box<3>& domain, Verdict& verdict) {
  // For a domain that is flat on some axes the check uses area or length instead of volume: flat
  // axes are left out.
  const auto volume = [&](const OrbCell& cell) {
    double v = 1.0;
    for (int a = 0; a < 3; ++a)
      if (domain.upper[a] > domain.lower[a])
        v *= static_cast<double>(cell.upper[a]) - static_cast<double>(cell.lower[a]);
    return v;
  };
  OrbCell whole;
  whole.lower = domain.lower;
  whole.upper = domain.upper;
  double leaves = 0.0;
  double excess = 0.0;  // what rounding has added (Kahan)
  for (std::uint32_t id = 1; id < heap.slots(); ++id) {
    if (!heap.is_leaf(id)) continue;
    const double added = volume(heap.cells(id)) - excess;
    const double sum = leaves + added;
    excess = (sum - leaves) - added;
    leaves = sum;
  }
  // Products round by up to two units of the sum, added ones not. Measured: 0 for 64 to 65,536
  // leaves of four generators; without the correction up to 51 epsilons.
  const double tolerance = 4.0 * std::numeric_limits<double>::epsilon();
  verdict.measure(orb_check::volumes_add_up, std::abs(leaves - volume(whole)) / volume(whole),
                  tolerance,
                  fmt::format("the leaves fill {}, the domain {}", leaves, volume(whole)));
}

void check_cut_axes(const ExpectedHeap& heap, AxisRule rule, Verdict& verdict) {
  Finding finding;
  if (rule == AxisRule::cyclic) {
    int axis = 0;
    for (std::uint32_t id = 1; id < heap.slots(); ++id) {
      if (id > 1 && (id & (id - 1)) == 0) axis = (axis + 1) % 3;  // a power of two begins a level
      const int expected = heap.is_inner(id) ? axis : -1;
      finding.add(heap.is_cell(id) && heap.cells(id).cut_axis != expected,
                  "cell {} is cut on axis {} instead of {}", id, heap.cells(id).cut_axis, expected);
    }
    verdict.conclude(orb_check::cyclic_axis_cut, finding);
    return;
  }
  for (std::uint32_t id = 1; id < heap.slots(); ++id) {
    if (!heap.is_cell(id)) continue;
    const OrbCell& cell = heap.cells(id);
    int longest = -1;
    // Extents are compared as Real, the precision in which the tree defines them.
    Real length = Real{-1};
    for (int a = 0; a < 3 && heap.is_inner(id); ++a) {
      const Real extent = cell.upper[a] - cell.lower[a];
      if (extent > length) {
        longest = a;
        length = extent;
      }
    }
    finding.add(cell.cut_axis != longest, "cell {} is cut on axis {} instead of {}", id,
                cell.cut_axis, longest);
  }
  verdict.conclude(orb_check::longest_axis_cut, finding);
}

}  // namespace copse::orb
