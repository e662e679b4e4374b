#pragma once
/// \file
/// The packet walk with masks: all queries of a packet visit the same node at the same time, and
/// each stack entry holds the mask of queries that visit the node (Goldfarb et al. 2013, [Liu 2019]
/// section 2.3).

#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Walks one packet from `top` down. `room` holds its stack.
template <class L, class Visitor, class Counters>
KOKKOS_FORCEINLINE_FUNCTION void walk_lockstep(const Visitor& visitor,
                                               typename Visitor::template State<L>& state, Node top,
                                               typename L::Mask active, const PacketId& packet,
                                               MaskedNode* room, Counters& counters) {
  PacketStack<L, MaskedNode> stack(room);
  stack.push({top, packet_bits(active)});
  while (!stack.is_empty()) {
    const MaskedNode next = stack.pop();
    counters.visit(lanes_in(next.lanes));
    const typename L::Mask open =
        visit_node<L>(visitor, state, next.node, packet_mask<L>(next.lanes, packet.lane));
    const std::uint32_t open_bits = packet_bits(open);
    if (open_bits == 0) continue;
    counters.open(lanes_in(open_bits));
    if (stops_at_missing(visitor, packet, next.node, open_bits)) continue;
    counters.truncate(lanes_in(next.lanes & ~open_bits));
    if (visitor.tree.is_leaf(next.node)) {
      counters.search(visitor.tree, next.node, lanes_in(open_bits));
      visitor.template leaf<L>(state, next.node, open);
      continue;
    }
    push_children<L>(visitor, state, next.node, open, open_bits, [&](Node child) {
      stack.push({child, open_bits});
    });
  }
}

}  // namespace copse
