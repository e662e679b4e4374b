#pragma once
/// \file
/// The packet walk with a state machine in registers: the stack holds no masks. Each query stores
/// whether it is traversing and, if not, the stack depth at which the subtree that it left is
/// finished ([Liu 2019] section 3.3, figures 3.9 and 3.10).
///
/// Figure 3.10 does not run as printed. Corrected here:
///  - It sets the stack pointer, the flag and the critical depth once before the loop over a
///    thread's queries. They must be set for each query; otherwise all queries after the first find
///    the stack empty.
///  - `__any(cond)` and the ballots are inside `if (flag)`, so only the traversing threads vote
///    while the others run ahead. Before Volta the warp ran in lockstep; since Volta all lanes must
///    vote, inactive ones with false.
///  - Inactive threads must not vote on the order of children either. Here only the lanes that open
///    the node vote.

#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walk_counters.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// Walks one packet from `top` down. `room` holds its stack.
template <class L, class Visitor, class Counters>
KOKKOS_FORCEINLINE_FUNCTION void walk_fsm(const Visitor& visitor,
                                          typename Visitor::template State<L>& state, Node top,
                                          typename L::Mask active, const PacketId& packet,
                                          Node* room, Counters& counters) {
  using Mask = typename L::Mask;
  using Index = typename L::Index;
  Mask traversing = active;
  Index critical = 0;  // invalid lanes never reactivate: the depth before pop is at least 1
  PacketStack<L, Node> stack(room);
  stack.push(top);
  while (!stack.is_empty()) {
    // At this depth the subtree that the query left is finished.
    traversing = traversing | (critical >= Index(stack.depth()));
    const Node node = stack.pop();
    if constexpr (!std::is_same_v<Counters, NoCounters>)
      counters.visit(lanes_in(packet_bits(traversing)));
    const Mask open = visit_node<L>(visitor, state, node, traversing);
    const std::uint32_t open_bits = packet_bits(open);
    if (open_bits == 0) continue;
    if constexpr (!std::is_same_v<Counters, NoCounters>) counters.open(lanes_in(open_bits));
    if (stops_at_missing(visitor, packet, node, open_bits)) continue;
    const Mask leaving = traversing & !open;
    if constexpr (!std::is_same_v<Counters, NoCounters>)
      counters.truncate(lanes_in(packet_bits(leaving)));
    if (visitor.tree.is_leaf(node)) {
      if constexpr (!std::is_same_v<Counters, NoCounters>)
        counters.search(visitor.tree, node, lanes_in(open_bits));
      visitor.template leaf<L>(state, node, open);
      continue;
    }
    critical = select(leaving, Index(stack.depth()), critical);
    traversing = open;
    push_children<L>(visitor, state, node, open, open_bits, [&](Node child) { stack.push(child); });
  }
}

}  // namespace copse
