#pragma once
/// \file
/// The group walk of Barnes (1990, "A modified tree code: don't laugh; it runs"): a packet accepts
/// a node for all its queries or opens it for all.
///
/// For visitors with `shares_path`: opening a node that need not be opened does no harm, as in
/// BarnesHut, where it only makes results better. The packet opens a node if one of its queries
/// would, so there are no masks on the stack, and no node is accepted by some lanes and opened by
/// others. In exchange results depend on which queries share a packet, within what the visitor
/// allows. For Barnes-Hut, measured on a CPU: 15 % less time than fsm and 0.6 times its error.
///
/// If the packet is a bucket (BucketList), it is one target, its bounding box: a visitor with
/// `classify_box` decides for every place in the box, once for all lanes ([Liu 2019] section 4.3).
///
/// Visitors that search what is within reach have another group walk, walks/packet_box.hpp.

#include <copse/traversal/packet.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/bounds.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace copse {

/// Stands for the packet's bounding box where each lane decides.
struct NoBox {};

/// One packet walks from `top` down. `room` is for its stack. Lanes that are not valid repeat the
/// query of one that is. `box` is the packet's bounding box or NoBox.
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
