#pragma once
/// \file
/// A segment's decision tree as a device team stores it.
///
/// A step down is limited by integer instructions, not by memory, so the number of instructions is
/// minimised: coordinates are compared directly instead of as ordered keys, and a node's upper end
/// and axis are one load from scratch memory.

#include "cut_forest.hpp"
#include <copse/algorithms/ordered_key.hpp>

#include <Kokkos_Core.hpp>

namespace copse::orb::fused {

/// Upper end of a node's bracket and its axis.
template <class Value>
struct alignas(2 * sizeof(Value)) DeviceNode {
  Value high;
  std::int32_t axis;
};

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

template <class Value>
struct DeviceNodes {
  const Value* low;
  const DeviceNode<Value>* node;

  /// One step down; see fused::step. A NaN end, as in an open-ended bracket, makes every comparison
  /// false.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t step(std::uint32_t i, Value x, Value y, Value z) const {
    const DeviceNode<Value> here = node[i];
    const Value value = here.axis == 0 ? x : here.axis == 1 ? y : z;
    const bool right = value > here.high;
    return value < low[i] || right ? 2 * i + right : i;
  }
  /// The same for a node without a bracket: no particle is inside.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t exact_step(std::uint32_t i, Value x, Value y,
                                                       Value z) const {
    const DeviceNode<Value> here = node[i];
    const Value value = here.axis == 0 ? x : here.axis == 1 ? y : z;
    return 2 * i + (value > here.high);
  }
};

/// Loads node `rank` of a segment's `size` nodes. A team barrier must follow before the nodes are
/// used.
template <class Value, class Key>
KOKKOS_FORCEINLINE_FUNCTION void load_node(const CutNode<Key>* nodes, std::uint32_t size,
                                           std::uint32_t rank, Value* low,
                                           DeviceNode<Value>* node) {
  if (rank >= size) return;
  const CutNode<Key> from = nodes[rank];
  low[rank] = lower_end<Value>(from.low);
  node[rank].high = upper_end<Value>(from.high);
  node[rank].axis = from.axis;
}

}  // namespace copse::orb::fused
