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

/// Squared edges of the bins, ascending. The last belong to the bins of the totals; the entries
/// before them are negative, so that no pair is below them (`pair_edges2`).
template <int MaxBins>
using SeparationEdges = Kokkos::Array<Real, MaxBins + 1>;

/// For each edge the number of points that are nearer.
template <class L, int MaxBins>
struct PointsBelow {
  Kokkos::Array<typename L::Index, MaxBins + 1> edge{};

  /// Calls `use(e, lanes)` for each edge above `distance2` in some lanes of `active`.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const SeparationEdges<MaxBins>& edges2,
                                                   const typename L::Real& distance2,
                                                   typename L::Mask active, const Use& use) {
    COPSE_UNROLL
    for (int e = MaxBins; e >= 0; --e) {
      const typename L::Mask here = active & (distance2 < typename L::Real(edges2[e]));
      if (!any(here)) break;
      use(e, here);
    }
  }

  /// Counts `rows` points at one squared distance.
  KOKKOS_FORCEINLINE_FUNCTION void add(const SeparationEdges<MaxBins>& edges2,
                                       const typename L::Real& distance2, std::uint32_t rows,
                                       typename L::Mask active) {
    for_each(edges2, distance2, active,
             [&](int e, typename L::Mask here) { add_where(here, edge[e], rows); });
  }

  /// Adds the counts of each bin to the totals.
  template <class MemorySpace>
  KOKKOS_FUNCTION void add_to(const PairTotals<MemorySpace>& totals, typename L::Index query,
                              typename L::Mask valid) const {
    const int bins = static_cast<int>(totals.extent(1));
    const Count copy = first_lane(query) % pair_copies;
    COPSE_UNROLL
    for (int e = 0; e < MaxBins; ++e) {
      const int b = e - (MaxBins - bins);
      if (b < 0) continue;
      const Count pairs = lane_sum(edge[e + 1] - edge[e], valid);
      if (pairs > 0) Kokkos::atomic_add(&totals(copy, b), pairs);
    }
  }
};

/// `MaxBins` is the capacity. For trees of fewer than 2^32 points.
template <int MaxBins, int Dim, class MemorySpace>
struct PairCounts {
  static constexpr bool guided = false;

  BoxTree<Dim, MemorySpace> tree;
  Points<Dim, MemorySpace> queries;
  PairTotals<MemorySpace> totals;
  SeparationEdges<MaxBins> edges2;

  template <class L>
  struct State {
    LanePoint<L, Dim> x;
    PointsBelow<L, MaxBins> below;
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    return {lane_point<L, Dim>(queries, query), {}};
  }
  /// `finish` adds to the totals, so a query has no stored state.
  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> resume(typename L::Index query) const {
    return start<L>(query);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION Outcome<L> classify(const State<L>& state, Node node,
                                                  typename L::Mask active) const {
    const auto& box = tree.bounds(node);
    const auto most = box.template max_distance2<L>(state.x);
    typename L::Mask cut(false);
    state.below.for_each(edges2, box.template min_distance2<L>(state.x), active,
                         [&](int e, typename L::Mask reaches) {
                           cut = cut | (reaches & (most >= typename L::Real(edges2[e])));
                         });
    return Outcome<L>(cut, active & !cut);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void accept(State<L>& state, Node node, typename L::Mask mask) const {
    state.below.add(edges2, tree.bounds(node).template max_distance2<L>(state.x),
                    static_cast<std::uint32_t>(tree.rows_of(node).size()), mask);
  }

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION void leaf(State<L>& state, Node node, typename L::Mask mask) const {
    for_each_distance2<L>(tree, node, state.x, [&](LocalIndex, const typename L::Real& d2) {
      state.below.add(edges2, d2, 1, mask);
    });
  }

  template <class L>
  KOKKOS_FUNCTION void finish(typename L::Index query, const State<L>& state,
                              typename L::Mask valid) const {
    state.below.add_to(totals, query, valid);
  }
};

}  // namespace copse
