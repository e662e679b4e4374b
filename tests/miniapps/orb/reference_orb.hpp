#pragma once
/// \file
/// ORB by brute force: the oracle of the tests.
///
/// The recursion of [Rehmann 2022] algorithm 1 with the cut found by sorting. It tries every left
/// count that some plane inside the cell can produce and takes the one nearest to the rule's, the
/// smaller of two equally near; the cut is the middle between the keys it separates. It shares no
/// code with the engine and is slow: O(n log n) per level on one thread.

#include <copse/backend/types.hpp>
#include <copse/particles/box.hpp>
#include <copse/particles/points.hpp>
#include <copse/tree/orb_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace copse::test {

struct ReferenceOrb {
  OrbTree<Kokkos::HostSpace> tree;
  Kokkos::View<LocalIndex*, Kokkos::HostSpace> permutation;  ///< row i was row permutation(i)
  Points<3, Kokkos::HostSpace> position;                     ///< in tree order
};

namespace reference {

/// The middle of two numbers, in double and rounded to Real.
inline Real middle(Real a, Real b) {
  return static_cast<Real>((static_cast<double>(a) + static_cast<double>(b)) / 2);
}

/// Eq. 4 of [Rehmann 2022] in real arithmetic, where 2^(l - 2) may be one half; or the halves of
/// [Rehmann draft].
inline std::uint32_t leaves_going_left(std::uint32_t d, LeafRule rule) {
  if (rule == LeafRule::halves) return static_cast<std::uint32_t>(std::ceil(d / 2.0));
  const double l = std::ceil(std::log2(static_cast<double>(d)));
  return static_cast<std::uint32_t>(std::min(d - std::exp2(l - 2), std::exp2(l - 1)));
}

/// The left count for ascending `keys` in a cell whose lower face is at `lower`.
inline Count left_count(const std::vector<Real>& keys, Count wanted, Real lower) {
  const Count n = keys.size();
  const auto possible = [&](Count left) {
    if (left == 0) return n == 0 || keys[0] > lower;
    return left == n || keys[left - 1] < keys[left];
  };
  for (Count distance = 0; distance <= n; ++distance) {
    if (distance <= wanted && possible(wanted - distance)) return wanted - distance;
    if (wanted + distance <= n && possible(wanted + distance)) return wanted + distance;
  }
  return n;
}

inline Real cut_position(const std::vector<Real>& keys, Count left, Real lower, Real upper) {
  const Real below = left == 0 ? lower : keys[left - 1];
  const Real above = left == keys.size() ? upper : keys[left];
  const Real cut = middle(below, above);
  // Adjacent numbers have no middle; the cut may equal the left key but not the right one.
  return cut == above ? below : cut;
}

inline int longest_axis(const OrbCell& cell) {
  int axis = 0;
  for (int a : {1, 2})
    if (cell.upper[a] - cell.lower[a] > cell.upper[axis] - cell.lower[axis]) axis = a;
  return axis;
}

/// Left counts without weights.
struct ByNumber {
  const Points<3, Kokkos::HostSpace>& x;
  LeafRule rule;

  /// \param rows  of the cell, whose keys along `axis` are `keys` in ascending order
  Count operator()(const OrbCell& cell, int axis, std::uint32_t d_left,
                   std::span<const LocalIndex> rows, const std::vector<Real>& keys) const {
    const Count share = rows.size() * d_left;
    const Count wanted = rule == LeafRule::halves && share % cell.leaves != 0
                             ? share / cell.leaves + 1
                             : share / cell.leaves;
    return left_count(keys, wanted, cell.lower[axis]);
  }
};

/// The recursion. `LeftCount` has the interface of ByNumber.
template <class LeftCount>
class Builder {
 public:
  Builder(const Points<3, Kokkos::HostSpace>& x, OrbTree<Kokkos::HostSpace>& tree,
          const LeftCount& left_count)
      : order(x.extent(0)), x_(x), tree_(tree), left_count_(left_count) {
    std::iota(order.begin(), order.end(), LocalIndex{0});
  }

  void divide(std::size_t id) {
    OrbCell& cell = tree_.cells(id);
    if (cell.leaves == 1) return;
    int axis = 0;
    if (tree_.axis_rule == AxisRule::cyclic) {
      for (std::size_t ancestor = id; ancestor > 1; ancestor /= 2) axis = (axis + 1) % 3;
    } else {
      axis = longest_axis(cell);
    }

    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(cell.begin);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(cell.end);
    std::vector<Real> keys;
    for (auto row = begin; row != end; ++row) keys.push_back(x_(*row, axis));
    std::sort(keys.begin(), keys.end());
    const std::uint32_t d_left = leaves_going_left(cell.leaves, tree_.rule);
    const Count left = left_count_(cell, axis, d_left, std::span(begin, end), keys);
    cell.cut_axis = axis;
    cell.cut = cut_position(keys, left, cell.lower[axis], cell.upper[axis]);
    std::stable_partition(begin, end, [&](LocalIndex i) { return x_(i, axis) <= cell.cut; });

    OrbCell& l = tree_.cells(2 * id);
    OrbCell& r = tree_.cells(2 * id + 1);
    l.lower = r.lower = cell.lower;
    l.upper = r.upper = cell.upper;
    l.upper[axis] = r.lower[axis] = cell.cut;
    l.begin = cell.begin;
    l.end = r.begin = cell.begin + left;
    r.end = cell.end;
    l.leaves = d_left;
    r.leaves = cell.leaves - d_left;
    divide(2 * id);
    divide(2 * id + 1);
  }

  std::vector<LocalIndex> order;

 private:
  const Points<3, Kokkos::HostSpace>& x_;
  OrbTree<Kokkos::HostSpace>& tree_;
  LeftCount left_count_;
};

template <class LeftCount>
ReferenceOrb build(const Points<3, Kokkos::HostSpace>& x, const Box<3>& box, std::uint32_t leaves,
                   LeafRule rule, AxisRule axis_rule, const LeftCount& left_count) {
  ReferenceOrb result;
  std::size_t slots = 2;
  while (slots < 2 * std::size_t{leaves}) slots *= 2;
  result.tree.cells = Kokkos::View<OrbCell*, Kokkos::HostSpace>("copse::test::cells", slots);
  result.tree.leaves = leaves;
  result.tree.rule = rule;
  result.tree.axis_rule = axis_rule;
  OrbCell& root = result.tree.cells(1);
  root.lower = box.lower;
  root.upper = box.upper;
  root.end = x.extent(0);
  root.leaves = leaves;

  Builder<LeftCount> builder(x, result.tree, left_count);
  builder.divide(1);
  result.permutation =
      Kokkos::View<LocalIndex*, Kokkos::HostSpace>("copse::test::permutation", x.extent(0));
  result.position = Points<3, Kokkos::HostSpace>("copse::test::position", x.extent(0));
  for (Count i = 0; i < x.extent(0); ++i) {
    result.permutation(i) = builder.order[i];
    for (int a = 0; a < 3; ++a) result.position(i, a) = x(builder.order[i], a);
  }
  return result;
}

}  // namespace reference

inline ReferenceOrb reference_orb(const Points<3, Kokkos::HostSpace>& x, const Box<3>& box,
                                  std::uint32_t leaves, LeafRule rule = LeafRule::complete,
                                  AxisRule axis_rule = AxisRule::longest) {
  return reference::build(x, box, leaves, rule, axis_rule, reference::ByNumber{x, rule});
}

}  // namespace copse::test
