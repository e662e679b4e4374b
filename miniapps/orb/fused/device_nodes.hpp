#pragma once
/// \file
/// A segment's decision tree as a device team stores it.
///
/// A step down is limited by instructions, not by memory, so their number is minimised: coordinates
/// are compared directly instead of as ordered keys, and both ends of a bracket are one load from
/// scratch memory.

#include "cut_forest.hpp"
#include <copse/algorithms/ordered_key.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb::fused {

/// The coordinate at a bracket's end. One key has no coordinate, between the keys of the largest
/// negative number and of zero: as an upper end it means that negative number, as a lower end zero.
template <class Value, class Key>
KOKKOS_FORCEINLINE_FUNCTION Value upper_end(Key key) {
  const Key zero = ordered_key(Value{0});
  return from_ordered_key<Value>(key == zero - 1 ? static_cast<Key>(zero - 2) : key);
}
/// A node that sends all particles left gets the lower end infinity.
template <class Value, class Key>
KOKKOS_FORCEINLINE_FUNCTION Value lower_end(Key key) {
  return key == CutNode<Key>::everything ? Kokkos::Experimental::infinity_v<Value>
                                         : from_ordered_key<Value>(key);
}

/// The nodes of a segment. A particle ends at a node of the deepest level, or inside the bracket of
/// node i above: this end is i + inside, a node that no particle leaves.
template <class Value, int MostLevels>
struct DeviceNodes {
  static constexpr std::uint32_t most_nodes = 1u << MostLevels;
  static constexpr std::uint32_t inside = 2 * most_nodes;
  static constexpr std::uint32_t most_ends = inside + most_nodes;

  /// Of a bracket. One load gives both.
  struct alignas(2 * sizeof(Value)) Ends {
    Value low, high;
  };
  Ends ends[most_ends];
  std::int32_t axis[most_ends];

  /// Stores node i < most_nodes. A team barrier must follow before the nodes are used.
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void load(std::uint32_t i, const CutNode<Key>& node) {
    ends[i] = {lower_end<Value>(node.low), upper_end<Value>(node.high)};
    axis[i] = node.axis;
  }
  /// Stores the node of the particles inside node i.
  KOKKOS_FORCEINLINE_FUNCTION void load_inside(std::uint32_t i) {
    constexpr Value infinity = Kokkos::Experimental::infinity_v<Value>;
    ends[inside + i] = {-infinity, infinity};
    axis[inside + i] = 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION static bool is_inside(std::uint32_t end) { return end >= inside; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t node_of(std::uint32_t end) {
    return end - inside;
  }

  /// One step down from node i by the coordinate along its axis; see fused::step. A NaN end, as in
  /// an open-ended bracket, makes every comparison false.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t step(std::uint32_t i, Value value) const {
    const Ends here = ends[i];
    const bool right = value > here.high;
    return value < here.low || right ? 2 * i + right : i | inside;
  }
  /// The same for a node without a bracket: no particle is inside.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t exact_step(std::uint32_t i, Value value) const {
    return 2 * i + (value > ends[i].high);
  }
};

}  // namespace copse::orb::fused
