#pragma once
/// \file
/// The walk as the algorithm is written down: a function that calls itself for every child (seed
/// 004 fig. 3.1). One query at a time, on hosts.

#include <copse/traversal/visitor.hpp>

namespace copse {

template <class Visitor, class Counters>
void walk_below(const Visitor& visitor, typename Visitor::template State<OneLane>& state, Node node,
                Counters& counters) {
  counters.visit(1);
  if (!visitor.template open<OneLane>(state, node, true)) return;
  if (visitor.tree.is_leaf(node)) {
    counters.search(visitor.tree, node, 1);
    visitor.template leaf<OneLane>(state, node, true);
    return;
  }
  const Node first = visitor.tree.first_child(node);
  const int children = visitor.tree.child_count(node);
  if constexpr (Visitor::guided) {
    const bool in_order = visitor.template first_child_first<OneLane>(state, node);
    walk_below(visitor, state, in_order ? first : first + 1, counters);
    walk_below(visitor, state, in_order ? first + 1 : first, counters);
  } else {
    for (int c = 0; c < children; ++c)
      walk_below(visitor, state, first + static_cast<Node>(c), counters);
  }
}

/// One query's whole traversal.
template <class Visitor, class Counters>
void walk_recursive(const Visitor& visitor, LocalIndex query, Counters& counters) {
  auto state = visitor.template start<OneLane>(query);
  walk_below(visitor, state, visitor.tree.root(), counters);
  visitor.template finish<OneLane>(query, state, true);
}

}  // namespace copse
