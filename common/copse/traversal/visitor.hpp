#pragma once
/// \file
/// What a traversal does, apart from how the tree is walked.
///
/// Many queries walk one tree, each depth first; what differs from benchmark to benchmark is small
/// and is the *visitor*:
///
///     struct Visitor {
///       static constexpr bool guided;     // does a query choose which child comes first?
///       Tree tree;                        // root, is_leaf, first_child, child_count
///       template <class L> struct State;  // what a query remembers on its way
///
///       template <class L> State<L> start(typename L::Index query) const;
///       // Looks at a node: enters it as a whole if that is possible; who has to go below it?
///       template <class L> typename L::Mask open(State<L>&, Node, typename L::Mask active) const;
///       // Looks at all points of an opened leaf.
///       template <class L> void leaf(State<L>&, Node, typename L::Mask active) const;
///       // Only if guided, for trees with two children: who prefers the first child?
///       template <class L> typename L::Mask first_child_first(const State<L>&, Node) const;
///       template <class L> void finish(typename L::Index query, const State<L>&,
///                                      typename L::Mask valid) const;
///     };
///
/// All members are device functions, templated on the lane type (backend/lanes.hpp): the same code
/// is one lane of a GPU's packet, a whole packet of a CPU, or a query that walks alone. So they
/// choose by `select` and masks where lanes may differ, and by `if` where they cannot, as on the
/// node, which a packet shares.
///
/// `active` are the lanes that have not left the walk above the node; the state of others must not
/// change. A walk may show a node to a query that would not have come there in an order of its own
/// or may show it later, when its bound is tighter, so results must not depend on the order in
/// which nodes come: a visitor breaks ties by row.
///
/// A new benchmark is a visitor and nothing else. docs/traversal.md builds one step by step.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>

#include <cstdint>

namespace copse {

/// Number of a node, in any tree.
using Node = std::uint32_t;

/// Counts what a walk does; NoCounters is what timed walks use.
///
/// `visit(active)` is called by each lane of the packet when a node is taken from the stack, with
/// how many of its queries look at it (and of how many nodes, if these are taken together),
/// `truncate(n)` with how many of them leave while the packet goes on, `search(tree, leaf, n)` with
/// how many search all rows of a leaf, `compare(n)` with distances computed apart from that.
struct NoCounters {
  KOKKOS_FORCEINLINE_FUNCTION void visit(std::uint32_t, Count = 1) {}
  KOKKOS_FORCEINLINE_FUNCTION void truncate(std::uint32_t) {}
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Tree&, Node, std::uint32_t) {}
  KOKKOS_FORCEINLINE_FUNCTION void compare(Count) {}
};

/// Of one packet (or one query that walks alone).
struct PacketCounters {
  Count nodes = 0;        ///< taken from the packet's stack
  Count lane_nodes = 0;   ///< looked at, summed over the queries
  Count truncations = 0;  ///< times a query left while its packet went on
  Count rows = 0;         ///< of the leaves that the packet searched
  Count lane_rows = 0;    ///< the same, summed over the queries that searched them

  KOKKOS_FORCEINLINE_FUNCTION void visit(std::uint32_t active, Count together = 1) {
    nodes += together;
    lane_nodes += active * together;
  }
  KOKKOS_FORCEINLINE_FUNCTION void truncate(std::uint32_t lanes) { truncations += lanes; }
  template <class Tree>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Tree& tree, Node leaf, std::uint32_t lanes) {
    const Count here = tree.rows_of(leaf).size();
    rows += here;
    lane_rows += here * lanes;
  }
  KOKKOS_FORCEINLINE_FUNCTION void compare(Count distances) { lane_rows += distances; }
};

}  // namespace copse
