#pragma once
/// \file
/// The recursive walk: a function that calls itself for every child ([Liu 2019] figure 3.1). One
/// query at a time, on hosts.

#include <copse/traversal/visitor.hpp>

namespace copse {

/// Walks one query from `node` down.
template <class Visitor, class Counters>
void walk_recursive(const Visitor& visitor, typename Visitor::template State<OneLane>& state,
                    Node node, const PacketId& query, Counters& counters) {
  counters.visit(1);
  if (!visit_node<OneLane>(visitor, state, node, true)) return;
  counters.open(1);
  if (stops_at_missing(visitor, query, node, 1)) return;
  if (visitor.tree.is_leaf(node)) {
    counters.search(visitor.tree, node, 1);
    visitor.template leaf<OneLane>(state, node, true);
    return;
  }
  const Node first = visitor.tree.first_child(node);
  const int children = visitor.tree.child_count(node);
  if constexpr (Visitor::guided) {
    const bool in_order = prefers_first_child<OneLane>(visitor, state, node);
    walk_recursive(visitor, state, in_order ? first : first + 1, query, counters);
    walk_recursive(visitor, state, in_order ? first + 1 : first, query, counters);
  } else {
    for (int c = 0; c < children; ++c)
      walk_recursive(visitor, state, first + static_cast<Node>(c), query, counters);
  }
}

}  // namespace copse
