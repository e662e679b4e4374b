#pragma once
/// \file
/// Schedules queries by the first leaf of their walk: one number per query, one sort.
///
/// A guided walk visits the nearest leaves first. Its first leaf, found by one descent of the whole
/// tree, is therefore more specific than several leaves of the top, each of which holds thousands
/// of queries (docs/scheduling.md). It needs no matrix, and the depth is not limited.
///
/// The same numbers show whether sorting pays: in a good order consecutive queries start in the
/// same leaf or in nearby ones (`disorder`).
///
/// Minimum traffic: reading a query and its descent, writing 8 bytes, and the sort.

#include <copse/algorithms/permutation.hpp>
#include <copse/algorithms/radix_sort.hpp>
#include <copse/algorithms/workspace.hpp>
#include <copse/backend/relaxed_access.hpp>
#include <copse/traversal/schedule/scheduling_matrix.hpp>
#include <copse/traversal/walk.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>

namespace copse {

/// Number of a top leaf plus one, in depth-first order. 0 (unguided walks only): the walk reached
/// no leaf.
using LeafKey = std::uint32_t;

/// For unguided walks: a visitor that runs another visitor until it reaches a leaf of the top, and
/// writes the leaf's key to element `query` of `key`. For walks of one query at a time.
template <class Visitor, class Top>
struct FirstLeaf {
  static constexpr bool guided = false;

  Top tree;
  Visitor visitor;
  LeafKey* key;

  template <class L>
  struct State {
    typename Visitor::template State<L> of_visitor;
    LeafKey found;
  };

  template <class L>
  KOKKOS_FUNCTION State<L> start(typename L::Index query) const {
    return {start_query<L>(visitor, query), 0};
  }
  template <class L>
  KOKKOS_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                      typename L::Mask active) const {
    if (state.found != 0) return Outcome<L>(false);
    return visitor.template classify<L>(state.of_visitor, node, active);
  }
  template <class L>
  KOKKOS_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask) const {
    state.found = static_cast<LeafKey>(tree.number(node) + 1);
  }
  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask) const {
    relaxed_store(&key[query], state.found);  // a sample may list a query twice
  }
};

namespace detail {

/// For guided walks: descends to the preferred child down to a leaf of the top. All nodes on the
/// way count as opened: nothing is found yet that could prune them, unless the visitor starts with
/// a bound.
template <class Visitor, class Top, class Queries>
struct DescendToLeaf {
  Visitor visitor;
  Top top;
  Queries queries;
  LeafKey* key;
  LocalIndex* order;  ///< becomes the list, if not null

  KOKKOS_FUNCTION void operator()(Count i) const {
    const LocalIndex query = queries(i);
    const auto state = start_query<OneLane>(visitor, query);
    Node node = top.root();
    while (!top.is_leaf(node)) {
      const bool in_order = prefers_first_child<OneLane>(visitor, state, node);
      node = top.first_child(node) + (in_order ? 0 : 1);
    }
    // Relaxed, as above.
    relaxed_store(&key[query], static_cast<LeafKey>(top.number(node) + 1));
    if (order != nullptr) order[i] = query;
  }
};

/// Sample i, 0 <= i < pairs < n, is query i (n - 1) / pairs and its successor.
struct NeighborSample {
  LocalIndex* order;
  Count n, pairs;
  KOKKOS_FUNCTION Count query(Count i) const { return i * (n - 1) / pairs; }
  KOKKOS_FUNCTION void operator()(Count i) const {
    order[2 * i] = static_cast<LocalIndex>(query(i));
    order[2 * i + 1] = static_cast<LocalIndex>(query(i) + 1);
  }
};

/// Sums over the sampled pairs: the bit width of the difference of their first leaves, minus the
/// unavoidable bits, but at least 0.
struct BitsApart {
  NeighborSample sample;
  const LeafKey* key;
  int unavoidable;
  KOKKOS_FUNCTION void operator()(Count i, Count& sum) const {
    const LeafKey a = key[sample.query(i)], b = key[sample.query(i) + 1];
    const int apart = Kokkos::bit_width(a < b ? b - a : a - b);
    if (apart > unavoidable) sum += static_cast<Count>(apart - unavoidable);
  }
};

template <class ExecutionSpace, class Visitor, class Top, class Queries>
void descend_to_leaves(const ExecutionSpace& space, const Visitor& visitor, const Top& top,
                       const Queries& queries, LeafKey* key, LocalIndex* order) {
  Kokkos::parallel_for("copse::schedule::first_leaves",
                       Kokkos::RangePolicy<ExecutionSpace>(space, 0, queries.count),
                       DescendToLeaf<Visitor, Top, Queries>{visitor, top, queries, key, order});
}

}  // namespace detail

/// Writes the key of each query of a list to element `query` of `key`. Asynchronous.
template <class ExecutionSpace, class Visitor, class Top, class KeyView>
void first_leaves(const ExecutionSpace& space, const Visitor& visitor, const Top& top,
                  const QueryList<typename ExecutionSpace::memory_space>& queries,
                  const KeyView& key) {
  if constexpr (Visitor::guided) {
    detail::descend_to_leaves(space, visitor, top, queries, key.data(), nullptr);
  } else {
    walk_as<WalkKind::stack>(space, FirstLeaf<Visitor, Top>{top, visitor, key.data()}, queries);
  }
}

/// Orders queries [0, order.extent(0)) by their first leaf; ties stay in input order. Workspace: 4
/// bytes per query, and that of the sort.
template <class ExecutionSpace, class Visitor, class Top>
void first_leaf_order(const ExecutionSpace& space, const Visitor& visitor, const Top& top,
                      const ScheduleView<typename ExecutionSpace::memory_space>& order,
                      Workspace<typename ExecutionSpace::memory_space>& workspace) {
  const Count n = order.extent(0);
  const auto key = workspace.template get<LeafKey>("schedule::first_leaf", n);
  const QueryList<typename ExecutionSpace::memory_space> all{n, {}};
  if constexpr (Visitor::guided) {
    detail::descend_to_leaves(space, visitor, top, all, key.data(), order.data());
  } else {
    first_leaves(space, visitor, top, all, key);
    number_rows("copse::schedule::input_order", space, order);
  }
  sort_by_key(space, key, order, workspace, static_cast<int>(std::bit_width(top.columns())));
}

/// Distance between the first leaves of consecutive queries, from a sample of 1024 pairs: 0 if all
/// are equal, about 0.9 in a random order. Counts the bits of differences of leaf numbers, so the
/// result is the same on every backend. Waits for the result.
template <class ExecutionSpace, class Visitor, class Top>
double disorder(const ExecutionSpace& space, const Visitor& visitor, const Top& top, Count queries,
                Workspace<typename ExecutionSpace::memory_space>& workspace) {
  if (queries < 2) return 0;
  using Policy = Kokkos::RangePolicy<ExecutionSpace>;
  const Count pairs = std::min<Count>(queries - 1, 1024);
  const auto bits = static_cast<int>(std::bit_width(top.columns()));
  // With fewer queries than leaves, consecutive queries are several leaves apart even in the best
  // order.
  const auto unavoidable = static_cast<int>(std::bit_width(top.columns() / queries));
  if (bits <= unavoidable + 1) return 0;
  const auto key = workspace.template get<LeafKey>("schedule::first_leaf", queries);
  const ScheduleView<typename ExecutionSpace::memory_space> order(
      workspace.template get<LocalIndex>("schedule::sample", 2 * pairs).data(), 2 * pairs);
  const detail::NeighborSample sample{order.data(), queries, pairs};
  Kokkos::parallel_for("copse::schedule::sample", Policy(space, 0, pairs), sample);
  first_leaves(space, visitor, top, {2 * pairs, order}, key);
  Count apart = 0;
  Kokkos::parallel_reduce("copse::schedule::bits_apart", Policy(space, 0, pairs),
                          detail::BitsApart{sample, key.data(), unavoidable}, apart);
  return static_cast<double>(apart) / static_cast<double>(pairs) /
         static_cast<double>(bits - 1 - unavoidable);
}

}  // namespace copse
