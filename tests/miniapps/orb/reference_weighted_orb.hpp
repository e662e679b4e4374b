#pragma once
/// \file
/// ORB by weight by brute force: the oracle of the tests of weighted cuts.
///
/// Seed 000 eq. 6 with exact sums: in every cell, particles in key order; the weights of the groups
/// of equal keys are added one by one. Nothing is shared with the engine.

#include "reference_orb.hpp"

#include <map>

namespace copse::test {

namespace reference {

struct Group {
  Count weight = 0;
  Count particles = 0;
};

/// Number of particles that go left. `groups` are those of equal keys, ascending.
inline Count weighted_left_count(const std::map<Real, Group>& groups, Count d_left, Count d,
                                 LeafRule rule, Real lower) {
  Count total = 0;
  for (const auto& [key, group] : groups) total += group.weight;
  const bool at_least = rule == LeafRule::halves;
  const Count share = (total * d_left + (at_least ? d - 1 : 0)) / d;
  Count weight = 0, particles = 0;
  for (const auto& [key, group] : groups) {
    const Count with = weight + group.weight;
    if (with > share) {
      // This group crosses the share.
      bool goes_left = false;
      if (weight < share || share == 0) {
        const bool nearer = group.particles > 1 && with - share < share - weight;
        const bool rule_takes_it = group.particles == 1 && at_least && share > 0;
        goes_left = nearer || rule_takes_it;
      }
      const bool no_room_without = particles == 0 && !(key > lower);
      if (goes_left || no_room_without) particles += group.particles;
      return particles;
    }
    weight = with;
    particles += group.particles;
    if (weight == share) return particles;
  }
  return particles;
}

inline void divide_by_weight(OrbTree<Kokkos::HostSpace>& tree, std::size_t id,
                             const Points<3, Kokkos::HostSpace>& x,
                             const std::vector<std::uint32_t>& weights,
                             std::vector<LocalIndex>& order) {
  OrbCell& cell = tree.cells(id);
  if (cell.leaves == 1) return;
  int axis = 0;
  for (int a : {1, 2})
    if (cell.upper[a] - cell.lower[a] > cell.upper[axis] - cell.lower[axis]) axis = a;
  std::map<Real, Group> groups;
  for (Count i = cell.begin; i < cell.end; ++i) {
    Group& group = groups[x(order[i], axis)];
    group.weight += weights[order[i]];
    ++group.particles;
  }
  const std::uint32_t d_left = leaves_going_left(cell.leaves, tree.rule);
  const Count left = weighted_left_count(groups, d_left, cell.leaves, tree.rule, cell.lower[axis]);
  std::vector<Real> keys;
  for (Count i = cell.begin; i < cell.end; ++i) keys.push_back(x(order[i], axis));
  std::sort(keys.begin(), keys.end());
  cell.cut_axis = axis;
  cell.cut = cut_position(keys, left, cell.lower[axis], cell.upper[axis]);
  std::stable_partition(order.begin() + cell.begin, order.begin() + cell.end,
                        [&](LocalIndex i) { return x(i, axis) <= cell.cut; });
  OrbCell& l = tree.cells(2 * id);
  OrbCell& r = tree.cells(2 * id + 1);
  l.lower = r.lower = cell.lower;
  l.upper = r.upper = cell.upper;
  l.upper[axis] = r.lower[axis] = cell.cut;
  l.begin = cell.begin;
  l.end = r.begin = cell.begin + left;
  r.end = cell.end;
  l.leaves = d_left;
  r.leaves = cell.leaves - d_left;
  divide_by_weight(tree, 2 * id, x, weights, order);
  divide_by_weight(tree, 2 * id + 1, x, weights, order);
}

}  // namespace reference

inline ReferenceOrb reference_weighted_orb(const Points<3, Kokkos::HostSpace>& x,
                                           const std::vector<std::uint32_t>& weights,
                                           const Box<3>& box, std::uint32_t leaves, LeafRule rule) {
  const Count n = x.extent(0);
  ReferenceOrb result;
  std::size_t slots = 2;
  while (slots < 2 * std::size_t{leaves}) slots *= 2;
  result.tree.cells = Kokkos::View<OrbCell*, Kokkos::HostSpace>("copse::test::cells", slots);
  result.tree.leaves = leaves;
  result.tree.rule = rule;
  OrbCell& root = result.tree.cells(1);
  root.lower = box.lower;
  root.upper = box.upper;
  root.end = n;
  root.leaves = leaves;
  std::vector<LocalIndex> order(n);
  std::iota(order.begin(), order.end(), LocalIndex{0});
  reference::divide_by_weight(result.tree, 1, x, weights, order);
  result.permutation = decltype(result.permutation)("copse::test::permutation", n);
  result.position = decltype(result.position)("copse::test::position", n);
  for (Count i = 0; i < n; ++i) {
    result.permutation(i) = order[i];
    for (int a = 0; a < 3; ++a) result.position(i, a) = x(order[i], a);
  }
  return result;
}

}  // namespace copse::test
