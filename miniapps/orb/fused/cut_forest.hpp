#pragma once
/// \file
/// Small decision trees, one per cell of the current frontier, through which the fused engine sends
/// every particle several levels at once.
///
/// A *round* of the engine takes the cells of the frontier, each a segment of rows, and cuts each
/// up to `levels` times before it moves a single row. Node i of segment s (a 1-based heap, `size` =
/// 2^levels nodes a segment, node 0 unused) stands for the cell i of the subtree below the
/// segment's own cell. A row at a node goes left if key < low, right if key > high and is *inside*
/// if neither:
///  - a node whose cut is known has low = threshold + 1 and high = threshold: nothing is inside;
///  - a node whose cut is being searched has a bracket that holds it almost surely;
///  - every other node sends all rows left (low = ~0), so a cell that is not cut any further
///  collects
///    its rows in the first of the leaf slots below it.
/// Rows that are not inside anywhere arrive at one of the `size` leaf slots, which keep the order
/// of the cells from left to right.

#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::orb::fused {

/// Largest number of levels in a round.
inline constexpr int most_levels = most_multiway_levels;

/// Aligned so that a device loads it at once.
template <class Key>
struct alignas(4 * sizeof(Key)) CutNode {
  Key low;
  Key high;
  std::int32_t axis;

  static constexpr Key everything = static_cast<Key>(~Key{0});
  KOKKOS_FUNCTION static CutNode all_left() { return CutNode{everything, everything, 0}; }
  KOKKOS_FUNCTION static CutNode exact(Key threshold, int axis) {
    if (threshold == everything) return all_left();
    return CutNode{static_cast<Key>(threshold + 1), threshold, axis};
  }
};

/// What the engine knows about a node within a round.
enum class NodeState : std::uint8_t {
  absent,     ///< not (yet) a cell of the tree
  open,       ///< a cell that is to be cut, with its exact box
  bracketed,  ///< its cut is being searched in this sweep
  cut,        ///< cut exactly
  closed      ///< not to be cut (again) in this round: a leaf, or its search failed
};

/// Where the faces of a box may lie while the cuts above it are known as brackets only.
struct BoxRange {
  Kokkos::Array<Real, 3> lower_min, lower_max, upper_min, upper_max;
};

/// The axis `policy.prepare` will choose for the cell in `slot` of any box within `range`; -1 if it
/// depends on the box. Extents are rounded monotonically, so one comparison holds for every such
/// box.
KOKKOS_INLINE_FUNCTION int certain_axis(const OrbPolicy& policy, const BoxRange& range,
                                        std::uint32_t slot) {
  if (policy.axis_rule == AxisRule::cyclic) return policy.axis_in_turn(slot);
  for (int a = 0; a < 3; ++a) {
    const Real smallest = range.upper_min[a] - range.lower_max[a];
    bool longest = true;
    for (int other = 0; other < 3; ++other) {
      if (other == a) continue;
      const Real largest = range.upper_max[other] - range.lower_min[other];
      longest = longest && (other < a ? smallest > largest : smallest >= largest);
    }
    if (longest) return a;
  }
  return -1;
}

/// All nodes of a round; index(s, i) = s * size + i.
template <class MemorySpace, class Policy_>
struct CutForest {
  using Policy = Policy_;
  using Cell = typename Policy::Cell;
  using Value = typename Policy::Value;
  using Key = OrderedKey<Value>;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  Policy policy;
  Kokkos::View<Cell*, MemorySpace> cells;  ///< 1-based heap of the whole tree
  Array<std::uint32_t> active;             ///< [segments] heap slots of the frontier's cells
  int levels = 0;
  std::uint32_t size = 1;  ///< 2^levels

  Array<CutNode<Key>> node;
  Array<NodeState> state;
  /// Of an open node 0, of the children of a bracketed one 1 more than its own; else -1. Only of a
  /// bracketed node it says when its turn comes in this sweep.
  Array<std::int8_t> sweep_level;
  Array<std::uint8_t> attempt;  ///< failed searches so far
  Array<BoxRange> range;

  KOKKOS_FUNCTION Count nodes() const { return node.extent(0); }
  KOKKOS_FUNCTION std::uint32_t heap_index(Count k) const {
    return static_cast<std::uint32_t>(k % size);
  }
  KOKKOS_FUNCTION static int depth(std::uint32_t i) {
    return static_cast<int>(Kokkos::bit_width(i)) - 1;
  }
  /// Heap slot of node k in the whole tree.
  KOKKOS_FUNCTION std::uint32_t slot(Count k) const {
    const std::uint32_t i = heap_index(k);
    const int below = depth(i);
    return (active(k / size) << below) + (i - (std::uint32_t{1} << below));
  }
  KOKKOS_FUNCTION Cell& cell(Count k) const { return cells(slot(k)); }
  /// Node k's parent; k must not be a root.
  KOKKOS_FUNCTION Count parent(Count k) const { return k - heap_index(k) + heap_index(k) / 2; }
  KOKKOS_FUNCTION Count left_child(Count k) const { return k + heap_index(k); }
  /// Whether node k's children are nodes too, not leaf slots.
  KOKKOS_FUNCTION bool has_child_nodes(Count k) const { return 2 * heap_index(k) < size; }
  /// First leaf slot below node i, and how many there are.
  KOKKOS_FUNCTION std::uint32_t first_leaf(std::uint32_t i) const {
    return (i << (levels - depth(i))) - size;
  }
  KOKKOS_FUNCTION std::uint32_t leaves_below(std::uint32_t i) const {
    return std::uint32_t{1} << (levels - depth(i));
  }
};

/// One step down: to a child, or nowhere for a row inside the node's bracket. No branch: which way
/// a row goes is unpredictable.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t step(const CutNode<Key>& node, std::uint32_t i, Key x,
                                               Key y, Key z) {
  const Key key = node.axis == 0 ? x : node.axis == 1 ? y : z;
  const std::uint32_t right = key > node.high;
  const bool leaves = (key < node.low) | (right != 0);
  return leaves ? 2 * i + right : i;
}

/// Sends a row with these keys down from node i: the result is the node it is inside of (< size) or
/// size + its leaf slot. `nodes` are one segment's; `levels` must suffice to get there.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t walk(const CutNode<Key>* nodes, std::uint32_t i,
                                               int levels, Key x, Key y, Key z) {
  for (int level = 0; level < levels; ++level) i = step(nodes[i], i, x, y, z);
  return i;
}

/// Rows that are inside a bracket, one list a node: their keys and their numbers.
template <class MemorySpace, class Key>
struct InsideLists {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Array<Key> key;         ///< [3 * capacity] the three axes one after the other
  Array<LocalIndex> row;  ///< [capacity]
  Count capacity = 0;
  Array<Segment> slots;  ///< [nodes] room of each list
  Array<Count> length;   ///< [nodes] rows inside, also those that found no room

  KOKKOS_FUNCTION void store(Count place, Key x, Key y, Key z, Count r) const {
    key(place) = x;
    key(capacity + place) = y;
    key(2 * capacity + place) = z;
    row(place) = static_cast<LocalIndex>(r);
  }
};

}  // namespace copse::orb::fused
