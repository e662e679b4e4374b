#pragma once
/// \file
/// The inspector: walks only the top of the tree and records which top leaves each query reaches
/// ([Liu 2019] section 3.2.1, figs. 3.3 and 3.4).
///
/// It runs the visitor of the real walk, so it is independent of the application. Nodes at the
/// profile depth count as leaves; the inspector records their number instead of searching their
/// points. Each query walks alone because no schedule exists yet.
///
/// The inspector searches no points, except those of a query's own leaf (begin_at_root). Without an
/// own leaf the bound of a guided visitor never shrinks: every query would reach all top leaves,
/// each query in its own order. Only the first leaves in that order distinguish queries, so the
/// walk stops when the query's matrix row is full.

#include <copse/traversal/schedule/scheduling_matrix.hpp>
#include <copse/traversal/walk.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace copse {

/// The top of a balanced tree. Its leaves are numbered in depth-first order.
struct TopHeap : BalancedHeap {
  std::uint32_t first_leaf = 1;

  TopHeap() = default;
  TopHeap(const BalancedHeap& heap, int depth)
      : BalancedHeap(heap), first_leaf(std::uint32_t{1} << std::clamp(depth, 0, heap.levels)) {}

  KOKKOS_FUNCTION bool is_leaf(Node node) const { return node >= first_leaf; }
  KOKKOS_FUNCTION Count number(Node top_leaf) const { return top_leaf - first_leaf; }
  Count columns() const { return first_leaf; }
};

/// The top of a tree down to `depth`.
inline TopHeap top_of(const BalancedHeap& heap, int depth) {
  return {heap, depth};
}

/// Wraps a visitor: runs it on the top of the tree and fills the rows of `matrix`, of visits or of
/// steps, for queries from `first` on. Only for walks of one query at a time.
template <class Visitor, class Top, class Matrix>
struct Inspector {
  static constexpr bool guided = Visitor::guided;
  static constexpr bool records_visits =
      std::is_same_v<typename Matrix::non_const_value_type, VisitWord>;

  Top tree;
  Visitor visitor;
  Matrix matrix;
  Count first = 0;

  template <class L>
  struct State {
    typename Visitor::template State<L> of_visitor;
    Count row;
    Count recorded;
  };

  template <class L>
  KOKKOS_FUNCTION State<L> start(typename L::Index query) const {
    return {begin_at_root<L>(visitor, query), query - first, 0};
  }

  template <class L>
  KOKKOS_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                      typename L::Mask active) const {
    if (!records_visits && state.recorded == matrix.extent(1)) return Outcome<L>(false);
    return visitor.template classify<L>(state.of_visitor, node, active);
  }

  template <class L>
  KOKKOS_FUNCTION typename L::Mask first_child_first(const State<L>& state, Node node) const {
    return prefers_first_child<L>(visitor, state.of_visitor, node);
  }

  template <class L>
  KOKKOS_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask) const {
    const Count column = tree.number(node);
    if constexpr (records_visits) {
      matrix(state.row, column / visit_word_columns) |= VisitWord{1} << column % visit_word_columns;
    } else {
      matrix(state.row, state.recorded++) = static_cast<Step>(column + 1);
    }
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index, const State<L>&, typename L::Mask) const {}
};

/// Inspects queries [first, first + count). `matrix` is zeroed and has one row per query.
template <class ExecutionSpace, class Visitor, class Top, class Matrix>
void inspect(const ExecutionSpace& space, const Visitor& visitor, const Top& top, Count first,
             Count count, const Matrix& matrix) {
  walk_as<WalkKind::stack>(space, Inspector<Visitor, Top, Matrix>{top, visitor, matrix, first},
                           QueryList<typename ExecutionSpace::memory_space>{count, {}, first});
}

}  // namespace copse
