#pragma once
/// \file
/// The walk protocol: the interface between a traversal (the *visitor*) and the code that walks the
/// tree.
///
/// Many queries walk one tree, each depth first. Each traversal is a visitor:
///
///     struct Visitor {
///       static constexpr bool guided;     // does a query choose which child comes first?
///       Tree tree;                        // root, is_leaf, first_child, child_count, stack_size
///       Points queries;                   // [queries] their positions
///       Results results;                  // [queries] what they found, see below
///       // Of a query. First member: its position x. Second: `found`, by default nothing found.
///       template <class L> struct State;
///
///       // Decides per lane: skip, open or accept the node. See Outcome.
///       template <class L> Outcome<L> classify(const State<L>&, Node, Mask active) const;
///       // Adds a node without opening it. Only if some Outcome accepts.
///       template <class L> void accept(State<L>&, Node, Mask accepting) const;
///       // Adds the points of an opened leaf.
///       template <class L> void leaf(State<L>&, Node, Mask opening) const;
///
/// A query starts with its position and nothing found. At the end the walk stores what it found; a
/// walk that resumes loads it first:
///
///     struct Results {
///       // Sets `found` to what the query has found so far. Only for walks that resume.
///       template <class L> void load(Index query, Found& found) const;
///       // Stores it for the queries of the lanes in `valid`.
///       template <class L> void store(Index query, const Found& found, Mask valid) const;
///     };
///
/// with `Found` the type of `State<L>::found`. A visitor whose queries are not points, or whose
/// states hold more, defines instead:
///
///       // The initial state of a query.
///       template <class L> State<L> start(Index query) const;
///       // Without `results`: stores the result, and the state with a stored result.
///       template <class L> void finish(Index query, const State<L>&, Mask valid) const;
///       template <class L> State<L> resume(Index query) const;
///
/// Optional are
///
///       // Only if guided, for trees with two children: which lanes prefer the first child?
///       // Default: those whose position is nearer to its bounds.
///       template <class L> Mask first_child_first(const State<L>&, Node) const;
///       // Only for partial trees: are the node's children missing?
///       bool is_missing(Node) const;
///       void missing(Count packet, Node, std::uint32_t lanes) const;  // records where to resume
///       // Only if queries may begin with the leaf that contains them: that leaf, or 0 for none.
///       // The walk searches it first and sets State::own to it; `leaf` must then skip it. If a
///       // query of a group walk has none, its packet begins with the points inside its box.
///       template <class L> Index own_leaf(Index query) const;
///       // Only if a state is partly in the scratch memory of a GPU packet: its bytes, and the
///       // initial state of a query. PacketId::memory is null unless L is PacketLane.
///       template <class L> static constexpr std::size_t packet_bytes;
///       template <class L> State<L> start(Index query, const PacketId&) const;
///       // Only for the group walk, see walks/group.hpp.
///       static constexpr bool shares_path = true;
///       Outcome<OneLane> classify_box(const BoxBound<Dim>&, Node) const;
///       // What classify_box gets, if that is more than the box of the lanes' State::x.
///       template <class L> Box group_box(const State<L>&) const;
///     };
///
/// with `Index` and `Mask` of L. All members are device functions templated on the lane type
/// (backend/lanes.hpp). The same code runs on one lane of a GPU packet, on a whole packet of a CPU,
/// and for a single query. Use `select` and masks where lanes may differ, and `if` only for what
/// the packet shares, such as the node.
///
/// `active` holds the lanes that still walk at this node; the state of the other lanes must not
/// change. A packet may visit nodes in a different order than a single query, and may visit nodes
/// that a single query would prune. Results must therefore not depend on the order of the nodes: a
/// visitor breaks ties by row.
///
/// docs/traversal.md builds a visitor step by step.

#include <copse/backend/lanes.hpp>
#include <copse/backend/types.hpp>
#include <copse/traversal/packet.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace copse {

/// Results that are one number per query.
template <class MemorySpace>
struct CountResults {
  Kokkos::View<std::uint32_t*, MemorySpace> counts;  ///< [queries]

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void load(typename L::Index query, typename L::Index& found) const {
    found = gather(counts.data(), query);
  }
  template <class L>
  KOKKOS_FUNCTION void store(typename L::Index query, const typename L::Index& found,
                             typename L::Mask valid) const {
    scatter(counts.data(), query, found, valid);
  }
};

/// The decision of each lane at a node. A lane in neither mask skips the node. If the children of
/// an opened node are missing (`is_missing`), the walk records the node and its lanes and continues
/// with the next node.
template <class L>
struct Outcome {
  typename L::Mask open;    ///< descend, or search the leaf
  typename L::Mask accept;  ///< add the node as a whole

  KOKKOS_FORCEINLINE_FUNCTION explicit Outcome(typename L::Mask opening,
                                               typename L::Mask accepting = false)
      : open(opening), accept(accepting) {}
};

/// A visitor for a tree with missing parts.
template <class Visitor>
concept PartialVisitor = requires(const Visitor& visitor) {
  visitor.is_missing(Node{});
};

/// A visitor whose queries begin with the leaf that contains them.
template <class Visitor>
concept OwnLeafVisitor = !PartialVisitor<Visitor> && requires(const Visitor& visitor) {
  visitor.template own_leaf<OneLane>(0u);
};

/// The packet or single query that walks: its number, the calling thread's lane (0 on hosts), and
/// the memory that the visitor asked for with `packet_bytes`.
struct PacketId {
  Count number = 0;
  int lane = 0;
  void* memory = nullptr;
};

/// Classifies a node and adds it in the lanes that accept it. \returns the lanes that open it
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename L::Mask visit_node(const Visitor& visitor,
                                                        typename Visitor::template State<L>& state,
                                                        Node node, typename L::Mask active) {
  const Outcome<L> outcome = visitor.template classify<L>(state, node, active);
  if constexpr (requires { visitor.template accept<L>(state, node, active); }) {
    if (any(outcome.accept)) visitor.template accept<L>(state, node, outcome.accept);
  }
  return outcome.open;
}

/// Are the node's children missing? Then records the lanes that would have opened it. All lanes of
/// a packet call it together.
template <class Visitor>
KOKKOS_FORCEINLINE_FUNCTION bool stops_at_missing(const Visitor& visitor, const PacketId& packet,
                                                  Node node, std::uint32_t lanes) {
  if constexpr (PartialVisitor<Visitor>) {
    if (!visitor.is_missing(node)) return false;
    if (packet.lane == 0) visitor.missing(packet.number, node, lanes);
    return true;
  } else {
    return false;
  }
}

/// The state of a query that has found nothing.
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename Visitor::template State<L> start_query(
    const Visitor& visitor, typename L::Index query, const PacketId& packet = {}) {
  if constexpr (requires { visitor.template start<L>(query, packet); }) {
    return visitor.template start<L>(query, packet);
  } else if constexpr (requires { visitor.template start<L>(query); }) {
    return visitor.template start<L>(query);
  } else {
    typename Visitor::template State<L> state{lane_point<L>(visitor.queries, query)};
    return state;
  }
}

/// The state with the stored result of an earlier walk.
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename Visitor::template State<L> resume_query(
    const Visitor& visitor, typename L::Index query, const PacketId& packet = {}) {
  if constexpr (requires { visitor.results; }) {
    auto state = start_query<L>(visitor, query, packet);
    visitor.results.template load<L>(query, state.found);
    return state;
  } else {
    return visitor.template resume<L>(query);
  }
}

/// Stores the results of the lanes in `valid`.
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION void finish_query(const Visitor& visitor, typename L::Index query,
                                              const typename Visitor::template State<L>& state,
                                              typename L::Mask valid) {
  if constexpr (requires { visitor.results; }) {
    visitor.results.template store<L>(query, state.found, valid);
  } else {
    visitor.template finish<L>(query, state, valid);
  }
}

/// The state before the root is visited. Queries with an own leaf search it first. A host's
/// packet searches the own leaf of its first lane, in all lanes with the same leaf.
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename Visitor::template State<L> begin_at_root(
    const Visitor& visitor, typename L::Index query, const PacketId& packet = {}) {
  auto state = start_query<L>(visitor, query, packet);
  if constexpr (OwnLeafVisitor<Visitor>) {
    const typename L::Index own = visitor.template own_leaf<L>(query);
    const Node leaf = first_lane(own);
    if (leaf == 0) return state;
    const typename L::Mask here = own == typename L::Index(leaf);
    visitor.template leaf<L>(state, leaf, here);
    state.own = select(here, own, state.own);
  }
  return state;
}

/// Which lanes of a guided visitor prefer the first child of a node?
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION typename L::Mask prefers_first_child(
    const Visitor& visitor, const typename Visitor::template State<L>& state, Node node) {
  if constexpr (requires { visitor.template first_child_first<L>(state, node); }) {
    return visitor.template first_child_first<L>(state, node);
  } else {
    const auto& tree = visitor.tree;
    const Node first = tree.first_child(node);
    return first_is_nearer<L>(tree.bounds(first), tree.bounds(first + 1), state.x);
  }
}

/// Adds `more` to the counts of the lanes in `mask`.
template <class Mask, class Index>
KOKKOS_FORCEINLINE_FUNCTION void add_where(const Mask& mask, Index& count, std::uint32_t more) {
  count = select(mask, count + Index(more), count);
}

/// Calls `push(child)` for every child of a node, last child first. A packet has one order for all
/// its lanes: if the visitor is guided, the order that most of the opening lanes prefer ([Liu 2019]
/// figure 3.10, lines 20 to 29).
template <class L, class Visitor, class Push>
KOKKOS_FORCEINLINE_FUNCTION void push_children(const Visitor& visitor,
                                               const typename Visitor::template State<L>& state,
                                               Node node, typename L::Mask open,
                                               std::uint32_t open_bits, const Push& push) {
  const Node first = visitor.tree.first_child(node);
  if constexpr (Visitor::guided) {
    const typename L::Mask prefer = prefers_first_child<L>(visitor, state, node);
    const std::uint32_t votes = lanes_in(packet_bits(typename L::Mask(prefer & open)));
    const bool in_order = 2 * votes >= lanes_in(open_bits);
    push(in_order ? first + 1 : first);
    push(in_order ? first : first + 1);
  } else {
    for (int c = visitor.tree.child_count(node); c-- > 0;) push(first + static_cast<Node>(c));
  }
}

}  // namespace copse
