#pragma once
/// \file
/// ORB by weight by brute force: the oracle of the tests of weighted cuts.
///
/// [Rehmann 2022] eq. 6 with exact sums: in every cell, particles in key order; the weights of
/// groups of equal keys are added one by one. It shares no code with the engine.

#include "reference_orb.hpp"

#include <map>
#include <span>
#include <vector>

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
      // This group crosses the target weight.
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

/// Left counts by weight, for reference::Builder.
struct ByWeight {
  const Points<3, Kokkos::HostSpace>& x;
  const std::vector<std::uint32_t>& weights;
  LeafRule rule;

  Count operator()(const OrbCell& cell, int axis, std::uint32_t d_left,
                   std::span<const LocalIndex> rows, const std::vector<Real>&) const {
    std::map<Real, Group> groups;
    for (const LocalIndex row : rows) {
      Group& group = groups[x(row, axis)];
      group.weight += weights[row];
      ++group.particles;
    }
    return weighted_left_count(groups, d_left, cell.leaves, rule, cell.lower[axis]);
  }
};

}  // namespace reference

inline ReferenceOrb reference_weighted_orb(const Points<3, Kokkos::HostSpace>& x,
                                           const std::vector<std::uint32_t>& weights,
                                           const Box<3>& box, std::uint32_t leaves, LeafRule rule) {
  return reference::build(x, box, leaves, rule, AxisRule::longest,
                          reference::ByWeight{x, weights, rule});
}

}  // namespace copse::test
