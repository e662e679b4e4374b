#pragma once
/// \file
/// The walk without recursion: a loop over a stack of nodes to visit, children pushed in reverse
/// order. Published as *autoropes* (Goldfarb et al. 2013, [Liu 2019] section 2.3); on the command
/// line `--walk ropes`.
///
/// Every query has its own stack and path. On a GPU the threads of a warp therefore read different
/// nodes at the same time, but no thread waits for another thread's nodes.

#include <copse/traversal/visitor.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// Walks one query from `top` down.
// [begin stack]
template <class Visitor, class Counters>
KOKKOS_FORCEINLINE_FUNCTION void walk_stack(const Visitor& visitor,
                                            typename Visitor::template State<OneLane>& state,
                                            Node top, const PacketId& query, Counters& counters) {
  Node stack[decltype(visitor.tree)::stack_size];
  int depth = 0;
  stack[depth++] = top;
  while (depth > 0) {
    const Node node = stack[--depth];
    counters.visit(1);
    if (!visit_node<OneLane>(visitor, state, node, true)) continue;
    counters.open(1);
    if (stops_at_missing(visitor, query, node, 1)) continue;
    if (visitor.tree.is_leaf(node)) {
      counters.search(visitor.tree, node, 1);
      visitor.template leaf<OneLane>(state, node, true);
      continue;
    }
    const Node first = visitor.tree.first_child(node);
    if constexpr (Visitor::guided) {
      const bool in_order = prefers_first_child<OneLane>(visitor, state, node);
      stack[depth++] = in_order ? first + 1 : first;
      stack[depth++] = in_order ? first : first + 1;
    } else {
      for (int c = visitor.tree.child_count(node); c-- > 0;)
        stack[depth++] = first + static_cast<Node>(c);
    }
  }
}
// [end stack]

}  // namespace copse
