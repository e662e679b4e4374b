#pragma once
/// \file
/// Counts pairs (query, point of the tree) by separation, for two-point correlation functions
/// (correlation.hpp). Unguided.
///
/// Bin b holds the pairs with edge(b) <= separation < edge(b + 1), compared as computed squares. A
/// query stores for each edge the number of points below it: one comparison and one addition per
/// edge, the same for all lanes. Edges are tested from the largest down; once no lane is below an
/// edge, the smaller ones are skipped. A node that no edge cuts is counted without being opened, as
/// in Moore et al., "Fast algorithms and efficient statistics: n-point correlation functions"
/// (2001), who test nodes against nodes. Each query (on hosts, each packet) adds to the totals once
/// per bin.

#include <copse/backend/unroll.hpp>
#include <copse/traversal/correlation.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

namespace copse {

/// `MaxBins` is the capacity. The last entries of `edges2` belong to the bins of `totals`; the
/// entries before them are negative, so that no pair is below them (`pair_edges2`). For trees of
/// fewer than 2^32 points.
template <int MaxBins, int Dim, class MemorySpace>
struct PairCounts {
  static constexpr bool guided = false;
  using Edges = Kokkos::Array<Real, MaxBins + 1>;

  BoxTree<Dim, MemorySpace> tree;
  Points<Dim, MemorySpace> queries;
  PairTotals<MemorySpace> totals;
  Edges edges2;  ///< squared, ascending

  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    Kokkos::Array<typename L::Index, MaxBins + 1> below;  ///< number of points nearer than each
                                                          ///< edge
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, Dim>(queries, query);
    for (int e = 0; e <= MaxBins; ++e) state.below[e] = typename L::Index(0);
    return state;
  }

  /// `finish` adds to the totals, so a query has no stored state.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(typename L::Index query) const {
    return start<L>(query);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    using LaneReal = typename L::Real;
    const auto& box = tree.bounds(node);
    const LaneReal least = box.template min_distance2<L>(state.x);
    const LaneReal most = box.template max_distance2<L>(state.x);
    typename L::Mask cut(false);
    COPSE_UNROLL
    for (int e = MaxBins; e >= 0; --e) {
      const typename L::Mask reaches = active & (least < LaneReal(edges2[e]));
      if (!any(reaches)) break;
      cut = cut | (reaches & (most >= LaneReal(edges2[e])));
    }
    return Outcome<L>(cut, active & !cut);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    add(state, tree.bounds(node).template max_distance2<L>(state.x),
        static_cast<std::uint32_t>(tree.rows_of(node).size()), mask);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    for_each_distance2<L>(tree, node, state.x,
                          [&](LocalIndex, const typename L::Real& d2) { add(state, d2, 1, mask); });
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    const int bins = static_cast<int>(totals.extent(1));
    const Count copy = first_lane(query) % pair_copies;
    COPSE_UNROLL
    for (int e = 0; e < MaxBins; ++e) {
      const int b = e - (MaxBins - bins);
      if (b < 0) continue;
      const Count pairs = lane_sum(state.below[e + 1] - state.below[e], valid);
      if (pairs > 0) Kokkos::atomic_add(&totals(copy, b), pairs);
    }
  }

 private:
  /// Counts `rows` points at one squared distance: adds them to every edge above it.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void add(State<L>& state, const typename L::Real& distance2,
                                       std::uint32_t rows, typename L::Mask active) const {
    using Index = typename L::Index;
    COPSE_UNROLL
    for (int e = MaxBins; e >= 0; --e) {
      const typename L::Mask here = active & (distance2 < typename L::Real(edges2[e]));
      if (!any(here)) break;
      state.below[e] = select(here, state.below[e] + Index(rows), state.below[e]);
    }
  }
};

}  // namespace copse
