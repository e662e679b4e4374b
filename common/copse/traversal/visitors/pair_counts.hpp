#pragma once
/// \file
/// Numbers of pairs (query, point of the tree) by separation: what two-point correlation functions
/// are made of (correlation.hpp). Unguided.
///
/// Bin b holds the pairs with edge(b) <= separation < edge(b + 1), decided on squares as computed.
/// A query remembers, for each edge, how many points lie below it: one comparison and one addition
/// per edge, the same for all lanes. Edges are tried from the largest down, and as soon as no lane
/// is below one, none is below the others. A node that no edge cuts is counted without being
/// opened, as in Moore et al., "Fast algorithms and efficient statistics: n-point correlation
/// functions" (2001), who hold nodes against nodes.
///
/// Each query adds to the totals once per bin, each packet of a host too; totals are spread over
/// `pair_copies` copies, so that the queries of a GPU's packet do not all add to one address.

#include <copse/backend/unroll.hpp>
#include <copse/traversal/correlation.hpp>
#include <copse/traversal/packet_points.hpp>
#include <copse/traversal/visitor.hpp>
#include <copse/tree/balanced_tree.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace copse {

inline constexpr Count pair_copies = 256;

/// [copies][bins], zeroed before the walk; `pair_totals` adds the copies up.
template <class MemorySpace>
using PairTotals = Kokkos::View<Count**, Kokkos::LayoutLeft, MemorySpace>;

/// `MaxBins` is the room for bins. The last of `edges2` are those of the bins of `totals`; those
/// before them are negative, so that no pair is below them (`pair_edges2`). For trees of fewer than
/// 2^32 points.
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
    Kokkos::Array<typename L::Index, MaxBins + 1> below;  ///< points nearer than each edge
  };

  template <class L>
  KOKKOS_FORCEINLINE_FUNCTION State<L> start(typename L::Index query) const {
    State<L> state;
    state.x = lane_point<L, Dim>(queries, query);
    for (int e = 0; e <= MaxBins; ++e) state.below[e] = typename L::Index(0);
    return state;
  }

  /// Totals are added to: nothing of a query has to be remembered.
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
  /// Counts `rows` points at one squared distance; they lie below every edge above it.
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

/// The squares of ascending `edges`, one more than there are bins, as PairCounts wants them.
/// \throws InputError for less than one bin, more than MaxBins, or edges that are negative, not
///         finite or not ascending
template <int MaxBins>
Kokkos::Array<Real, MaxBins + 1> pair_edges2(const std::vector<Real>& edges) {
  check_separation_edges(edges, MaxBins);
  Kokkos::Array<Real, MaxBins + 1> squares;
  const std::size_t before = MaxBins + 1 - edges.size();
  for (std::size_t e = 0; e <= MaxBins; ++e)
    squares[e] = e < before ? Real(-1) : edges[e - before] * edges[e - before];
  return squares;
}

/// The pairs of each bin, all copies added up. Waits for the walk.
template <class MemorySpace>
std::vector<Count> pair_totals(const PairTotals<MemorySpace>& totals) {
  const auto copies = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, totals);
  std::vector<Count> pairs(copies.extent(1), 0);
  for (Count b = 0; b < copies.extent(1); ++b)
    for (Count c = 0; c < copies.extent(0); ++c) pairs[b] += copies(c, b);
  return pairs;
}

}  // namespace copse
