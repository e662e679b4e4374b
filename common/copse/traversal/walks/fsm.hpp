#pragma once
/// \file
/// The packet's walk with a state machine in registers: instead of a mask for every waiting node,
/// each query remembers whether it is traversing and, if not, at which depth of the stack the
/// subtree that it left is finished (seed 004 section 3.3, figs. 3.9 and 3.10).
///
/// Put right against fig. 3.10, which cannot run as printed:
///  - the stack pointer, the flag and the critical depth are set once before the loop over a
///    thread's queries; they have to be set for each query, or all after the first find the stack
///    empty;
///  - `__any(cond)` and the ballots stand inside `if (flag)`, so they are voted on by the
///    traversing threads alone while the others run ahead. Before Volta a warp could not do
///    otherwise; since then a vote must be taken by all its lanes, with those that sleep voting no;
///  - a thread carried along must not vote on the order of children either: here only those that
///    open the node do.

#include <copse/traversal/packet_lanes.hpp>
#include <copse/traversal/packet_stack.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/traversal/walks/push_children.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// One packet's whole traversal. `room` is the packet's, for its stack.
template <class L, class Visitor, class Counters>
KOKKOS_FUNCTION void walk_fsm(const Visitor& visitor, typename L::Index query,
                              typename L::Mask valid, Node* room, Counters& counters) {
  using Mask = typename L::Mask;
  using Index = typename L::Index;
  auto state = visitor.template start<L>(query);
  Mask traversing = valid;
  Index critical = 0;  // a lane that is not valid never wakes up
  PacketStack<L, Node> stack(room);
  stack.push(visitor.tree.root());
  while (!stack.is_empty()) {
    // The stack is back where the query fell asleep: what it left lies behind.
    traversing = traversing | (critical >= Index(stack.depth()));
    const Node node = stack.pop();
    if constexpr (!std::is_same_v<Counters, NoCounters>)
      counters.visit(lanes_in(packet_bits(traversing)));
    const Mask open = visitor.template open<L>(state, node, traversing);
    const std::uint32_t open_bits = packet_bits(open);
    if (open_bits == 0) continue;
    const Mask leaves = traversing & !open;
    if constexpr (!std::is_same_v<Counters, NoCounters>)
      counters.truncate(lanes_in(packet_bits(leaves)));
    if (visitor.tree.is_leaf(node)) {
      visitor.template leaf<L>(state, node, open);
      continue;
    }
    critical = select(leaves, Index(stack.depth()), critical);
    traversing = open;
    push_children<L>(visitor, state, node, open, open_bits, [&](Node child) { stack.push(child); });
  }
  visitor.template finish<L>(query, state, valid);
}

}  // namespace copse
