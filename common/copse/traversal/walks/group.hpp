#pragma once
/// \file
/// The group walk of [Barnes 1990]: a packet accepts or opens a node for all its queries together.
///
/// It requires visitors with `shares_path`, for which opening more nodes than necessary is
/// harmless; in BarnesHut it only improves the results. The packet opens a node if any of its
/// queries would, so the stack holds no masks and the lanes never diverge. In exchange, results
/// depend on which queries share a packet, within the visitor's tolerance. Barnes-Hut measured on a
/// CPU: 15 % less time than fsm and 0.6 times its error.
///
/// If packets are buckets (BucketList) and the visitor has `classify_box`, the packet's bounding
/// box is classified once for all lanes, for every position in the box ([Liu 2019] section 4.3).
///
/// Visitors that search a neighbourhood have another group walk, walks/packet_box.hpp.

#include <copse/traversal/packet.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// Placeholder for the packet's bounding box where each lane decides.
struct NoBox {};

/// What classify_box decides for: by default the bounding box of the lanes' positions.
template <class L, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION auto group_box(const Visitor& visitor,
                                           const typename Visitor::template State<L>& state) {
  if constexpr (requires { visitor.template group_box<L>(state); }) {
    return visitor.template group_box<L>(state);
  } else {
    return packet_box<L, static_cast<int>(decltype(state.x)::size())>(state.x);
  }
}

/// Walks one packet from `top` down. `room` holds its stack. Invalid lanes duplicate the query of a
/// valid one. `box` is the packet's bounding box or NoBox.
template <class L, class Visitor, class Box, class Counters>
KOKKOS_FORCEINLINE_FUNCTION void walk_group(const Visitor& visitor,
                                            typename Visitor::template State<L>& state, Node top,
                                            typename L::Mask active, const Box& box,
                                            const PacketId& packet, Node* room,
                                            Counters& counters) {
  using Mask = typename L::Mask;
  const std::uint32_t lanes = packet_bits(active);
  PacketStack<L, Node> stack(room);
  stack.push(top);
  while (!stack.is_empty()) {
    const Node node = stack.pop();
    counters.visit(lanes_in(lanes));
    Mask accept;
    bool open;
    if constexpr (std::is_same_v<Box, NoBox>) {
      const Outcome<L> outcome = visitor.template classify<L>(state, node, active);
      accept = outcome.accept;
      open = packet_bits(outcome.open) != 0;
    } else {
      const Outcome<OneLane> outcome = visitor.classify_box(box, node);
      accept = active & Mask(outcome.accept);
      open = outcome.open;
    }
    if (open) counters.open(lanes_in(lanes));
    if (!open) {
      if constexpr (requires { visitor.template accept<L>(state, node, accept); })
        visitor.template accept<L>(state, node, accept);
    } else if (stops_at_missing(visitor, packet, node, lanes)) {
      continue;
    } else if (visitor.tree.is_leaf(node)) {
      counters.search(visitor.tree, node, lanes_in(lanes));
      visitor.template leaf<L>(state, node, active);
    } else {
      const Node first = visitor.tree.first_child(node);
      for (int c = visitor.tree.child_count(node); c-- > 0;)
        stack.push(first + static_cast<Node>(c));
    }
  }
}

}  // namespace copse
