#pragma once
/// \file
/// A packet whose lanes test different nodes: one box per lane, and how many points lanes hold.

#include <copse/backend/lanes.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse {

/// One node box per lane, and its distances from a box that all lanes share; see BoxBound.
template <class L, int Dim>
struct LaneBoxes {
  LanePoint<L, Dim> lower, upper;

  template <class Bounds>
  KOKKOS_FORCEINLINE_FUNCTION LaneBoxes(const Bounds& bounds, typename L::Index node) {
    if constexpr (L::width == 1) {
      const BoxBound<Dim>& box = bounds(node);
      for (int a = 0; a < Dim; ++a) lower[a] = box.lower[a], upper[a] = box.upper[a];
    } else {
      using LaneReal = typename L::Real;
      for (int a = 0; a < Dim; ++a) {
        lower[a] = LaneReal::of([&](int l) { return bounds(node[l]).lower[a]; });
        upper[a] = LaneReal::of([&](int l) { return bounds(node[l]).upper[a]; });
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION typename L::Real min_distance2(const BoxBound<Dim>& box) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(
          sum,
          lane_max(lane_max(lower[a] - LaneReal(box.upper[a]), LaneReal(box.lower[a]) - upper[a]),
                   LaneReal(0)),
          a);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION typename L::Real max_distance2(const BoxBound<Dim>& box) const {
    using LaneReal = typename L::Real;
    LaneReal sum(Real(0));
    for (int a = 0; a < Dim; ++a)
      sum = add_square<LaneReal>(
          sum, lane_max(upper[a] - LaneReal(box.lower[a]), LaneReal(box.upper[a]) - lower[a]), a);
    return sum;
  }
};

/// The number of points in the lanes' nodes, summed over `mask`.
template <class Tree>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows_in(const Tree& tree, Node node, bool mask) {
  return packet_sum(mask ? static_cast<std::uint32_t>(tree.rows_of(node).size()) : 0u);
}
template <class Tree, int W>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rows_in(const Tree& tree, LaneVector<Node, W> node,
                                                  LaneMask<W> mask) {
  std::uint32_t sum = 0;
  for (std::uint32_t bits = mask.bits(); bits != 0; bits = without_lowest(bits))
    sum += static_cast<std::uint32_t>(tree.rows_of(node[lowest_lane(bits)]).size());
  return sum;
}

}  // namespace copse
