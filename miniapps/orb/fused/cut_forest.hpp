#pragma once
/// \file
/// Small decision trees, one per cell of the frontier. The fused engine uses them to send every
/// particle down several levels in one pass.
///
/// A *round* of the engine takes the cells of the frontier, each a segment of particles, and cuts
/// each cell up to `levels` times before it moves any particle. Node i of segment s (a 1-based
/// heap, `size` = 2^levels nodes per segment, node 0 unused) represents cell i of the subtree below
/// the segment's own cell. At a node a particle goes left if key < low, right if key > high, and is
/// *inside* otherwise:
///  - A node with a known cut has low = threshold + 1 and high = threshold: no particle is inside.
///  - A node whose cut is being searched has a bracket that contains the cut almost surely.
///  - Any other node sends all particles left (low = ~0), so a cell that is not cut further
///    collects its particles in the first leaf slot below it.
///
/// Particles that are inside no bracket reach one of the `size` leaf slots. The leaf slots are in
/// the order of the cells from left to right.

#include <copse/algorithms/multiway_partition.hpp>
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/segments.hpp>
#include <copse/backend/types.hpp>
#include <copse/tree/orb_policy.hpp>

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::orb::fused {

/// Maximum number of levels in a round.
inline constexpr int most_levels = most_multiway_levels;

/// Aligned so that a device loads it with one instruction.
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

/// State of a node within a round.
enum class NodeState : std::uint8_t {
  absent,     ///< not a cell of the tree (yet)
  open,       ///< a cell to be cut; its box is exact
  bracketed,  ///< this sweep searches its cut
  cut,        ///< cut exactly
  closed      ///< not cut (again) in this round: a leaf, or its search failed
};

/// The range of possible box faces while the cuts above are known only as brackets.
struct BoxRange {
  Kokkos::Array<Real, 3> lower_min, lower_max, upper_min, upper_max;
};

/// The axis that `policy.prepare` chooses for the cell in `slot` for every box within `range`; -1
/// if it depends on the box. Extents are rounded monotonically, so one comparison holds for all
/// these boxes.
KOKKOS_INLINE_FUNCTION int certain_axis(const OrbPolicy& policy, const BoxRange& range,
                                        std::uint32_t slot) {
  if (policy.axis_rule == AxisRule::cyclic) return axis_in_turn<3>(slot, policy.first_axis);
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
  /// The sweep's level at which a bracketed node is processed; only meaningful for bracketed nodes.
  /// An open node gets 0 when it is bracketed, children of a bracketed node one more than the node,
  /// all others -1.
  Array<std::int8_t> sweep_level;
  Array<std::uint8_t> attempt;  ///< number of failed searches
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
  /// Are node k's children nodes too, rather than leaf slots?
  KOKKOS_FUNCTION bool has_child_nodes(Count k) const { return 2 * heap_index(k) < size; }
  /// Does this sweep search node k's cut at its level `level`? Tests the level first: a parent's
  /// thread may concurrently change the state of a node on another level.
  KOKKOS_FUNCTION bool is_bracketed(Count k, int level) const {
    return sweep_level(k) == level && state(k) == NodeState::bracketed;
  }
  /// Opens or closes the children of node k, which was cut; bracketed ones are due at the next
  /// level.
  KOKKOS_FUNCTION void open_children(Count k) const {
    if (!has_child_nodes(k)) return;
    for (Count child = left_child(k); child <= left_child(k) + 1; ++child)
      if (state(child) != NodeState::bracketed)
        state(child) = policy.open(cell(child)) ? NodeState::open : NodeState::closed;
  }
  /// First leaf slot below node i, and their number.
  KOKKOS_FUNCTION std::uint32_t first_leaf(std::uint32_t i) const {
    return (i << (levels - depth(i))) - size;
  }
  KOKKOS_FUNCTION std::uint32_t leaves_below(std::uint32_t i) const {
    return std::uint32_t{1} << (levels - depth(i));
  }
};

/// One step down: to a child, or none for a particle inside the node's bracket. Branch-free,
/// because the direction is unpredictable.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t step(const CutNode<Key>& node, std::uint32_t i, Key x,
                                               Key y, Key z) {
  const Key key = node.axis == 0 ? x : node.axis == 1 ? y : z;
  const std::uint32_t right = key > node.high;
  const bool leaves = (key < node.low) | (right != 0);
  return leaves ? 2 * i + right : i;
}

/// Sends a particle with these keys down from node i. Returns the node whose bracket it is inside
/// (< size), or size + its leaf slot. `nodes` belong to one segment; `levels` must be at least the
/// remaining depth.
template <class Key>
KOKKOS_FORCEINLINE_FUNCTION std::uint32_t walk(const CutNode<Key>* nodes, std::uint32_t i,
                                               int levels, Key x, Key y, Key z) {
  for (int level = 0; level < levels; ++level) i = step(nodes[i], i, x, y, z);
  return i;
}

/// The particles inside brackets, one list per node: their keys and row numbers.
template <class MemorySpace, class Key>
struct InsideLists {
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;
  Array<Key> key;         ///< [3 * capacity] the three axes, one after the other
  Array<LocalIndex> row;  ///< [capacity]
  Count capacity = 0;
  Array<Segment> slots;  ///< [nodes] slots reserved for each list
  Array<Count> length;   ///< [nodes] particles inside, including those that did not fit

  KOKKOS_FUNCTION void store(Count place, Key x, Key y, Key z, Count r) const {
    key(place) = x;
    key(capacity + place) = y;
    key(2 * capacity + place) = z;
    row(place) = static_cast<LocalIndex>(r);
  }
};

}  // namespace copse::orb::fused
