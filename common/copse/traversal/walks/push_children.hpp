#pragma once
/// \file
/// How a packet goes on below a node: one order for all, and if queries choose, the one that most
/// of those that go below prefer (seed 004 fig. 3.10, lines 20 to 29).

#include <copse/traversal/packet_lanes.hpp>
#include <copse/traversal/visitor.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Calls `push(child)` for every child of the node, last first.
template <class L, class Visitor, class Push>
KOKKOS_FORCEINLINE_FUNCTION void push_children(const Visitor& visitor,
                                               const typename Visitor::template State<L>& state,
                                               Node node, typename L::Mask open,
                                               std::uint32_t open_bits, const Push& push) {
  const Node first = visitor.tree.first_child(node);
  if constexpr (Visitor::guided) {
    const typename L::Mask prefer = visitor.template first_child_first<L>(state, node);
    const std::uint32_t votes = lanes_in(packet_bits(typename L::Mask(prefer & open)));
    const bool in_order = 2 * votes >= lanes_in(open_bits);
    push(in_order ? first + 1 : first);
    push(in_order ? first : first + 1);
  } else {
    for (int c = visitor.tree.child_count(node); c-- > 0;) push(first + static_cast<Node>(c));
  }
}

}  // namespace copse
