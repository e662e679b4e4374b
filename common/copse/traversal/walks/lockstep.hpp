#pragma once
/// \file
/// The packet's walk with masks: all queries of a packet visit the same node at the same time, and
/// the stack remembers with each node which of them still want to (Goldfarb et al. 2013, seed 004
/// section 2.3).

#include <copse/traversal/packet_lanes.hpp>
#include <copse/traversal/packet_stack.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walks/push_children.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// A node to be visited and the lanes that will look at it.
struct MaskedNode {
  Node node;
  std::uint32_t lanes;
};

/// One packet's whole traversal. `room` is the packet's, for its stack. `lane` is the calling
/// thread's, 0 on hosts.
template <class L, class Visitor, class Counters>
KOKKOS_FUNCTION void walk_lockstep(const Visitor& visitor, typename L::Index query,
                                   typename L::Mask valid, int lane, MaskedNode* room,
                                   Counters& counters) {
  using Mask = typename L::Mask;
  auto state = visitor.template start<L>(query);
  PacketStack<L, MaskedNode> stack(room);
  stack.push({visitor.tree.root(), packet_bits(valid)});
  while (!stack.is_empty()) {
    const MaskedNode top = stack.pop();
    counters.visit(lanes_in(top.lanes));
    const Mask open = visitor.template open<L>(state, top.node, packet_mask<L>(top.lanes, lane));
    const std::uint32_t open_bits = packet_bits(open);
    if (open_bits == 0) continue;
    counters.truncate(lanes_in(top.lanes & ~open_bits));
    if (visitor.tree.is_leaf(top.node)) {
      visitor.template leaf<L>(state, top.node, open);
      continue;
    }
    push_children<L>(visitor, state, top.node, open, open_bits, [&](Node child) {
      stack.push({child, open_bits});
    });
  }
  visitor.template finish<L>(query, state, valid);
}

}  // namespace copse
