#pragma once
/// \file
/// The kernels of one round of Boruvka's algorithm, except the search (nearest_outsider.hpp).
///
/// A component is identified by its smallest particle index, which is its root in the disjoint sets
/// and the index into per-component arrays. Everything else is in tree order. All choices are
/// minima of integers, so the result does not depend on the order of threads.

#include "../mst/spanning_tree.hpp"
#include "nearest_outsider.hpp"
#include <copse/algorithms/ordered_key.hpp>
#include <copse/algorithms/union_find.hpp>
#include <copse/backend/relaxed_access.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace copse::fof {

/// Data shared by the kernels of a round.
template <class MemorySpace>
struct BoruvkaRound {
  using Key = OrderedKey<Real>;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::LayoutLeft, MemorySpace>;

  BoxTree<3, MemorySpace> tree;
  Points<3, MemorySpace> velocity;  ///< [n][3] in tree order, or empty in 3-D
  Friendship friendship;
  UnionFind<MemorySpace> sets;  ///< over input particles; flat between rounds
  Components<MemorySpace> components;
  Candidates<MemorySpace> candidates;
  Array<Key> least_key;             ///< [n] by component: its smallest known distance2, as a key
  Array<std::uint64_t> least_pair;  ///< [n] by component: the smallest pair at that distance

  KOKKOS_FUNCTION Real distance2(Count i, Count j) const {
    const auto x = lane_point<OneLane, 3>(tree.points, static_cast<LocalIndex>(i));
    Real sum = friendship.distance2<OneLane>(x, PointAt<3, MemorySpace>{tree.points, j});
    if (velocity.extent(0) > 0) {
      const auto v = lane_point<OneLane, 3>(velocity, static_cast<LocalIndex>(i));
      sum = friendship.with_velocity2<OneLane>(sum, v, PointAt<3, MemorySpace>{velocity, j});
    }
    return sum;
  }

  /// True if the candidate of particle i still belongs to another component. It is then still the
  /// nearest such particle, because components only grow.
  KOKKOS_FUNCTION bool has_candidate(Count i) const {
    const LocalIndex row = candidates.row(i);
    return row != Candidates<MemorySpace>::none && sets.parent(row) != components.of_row(i);
  }
  KOKKOS_FUNCTION std::uint64_t candidate_pair(Count i) const {
    const std::uint64_t here = tree.permutation(i), other = candidates.row(i);
    return here < other ? here << 32 | other : other << 32 | here;
  }
  /// Most particles of a large component cannot improve the minimum; the load avoids contention on
  /// its atomic.
  KOKKOS_FUNCTION void offer(LocalIndex component, Real distance2) const {
    const Key key = ordered_key(distance2);
    if (key < relaxed_load(&least_key(component))) Kokkos::atomic_min(&least_key(component), key);
  }
};

/// Initially each particle is its own component, and others may be at distance 0.
template <class MemorySpace>
struct ForgetCandidates {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    round.candidates.row(i) = Candidates<MemorySpace>::none;
    round.candidates.distance2(i) = -1;
  }
};

/// Copies the components into tree order and resets the minima of each component.
template <class MemorySpace>
struct BeginRound {
  BoruvkaRound<MemorySpace> round;
  Real farthest;  ///< the largest distance2 an edge may have
  KOKKOS_FUNCTION void operator()(const Count i) const {
    round.components.of_row(i) = round.sets.parent(round.tree.permutation(i));
    round.least_key(i) = ordered_key(farthest);
    round.least_pair(i) = ~std::uint64_t{0};
  }
};

template <class MemorySpace>
struct LeafComponents {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    const Segment rows = round.tree.rows_of(node);
    LocalIndex component = Components<MemorySpace>::mixed;
    if (rows.size() > 0) component = round.components.of_row(rows.begin);
    for (Count row = rows.begin; row < rows.end; ++row)
      if (round.components.of_row(row) != component) component = Components<MemorySpace>::mixed;
    round.components.of_node(node) = component;
  }
};

template <class MemorySpace>
struct MergeComponents {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const std::uint32_t node) const {
    const LocalIndex left = round.components.of_node(2 * node);
    const LocalIndex right = round.components.of_node(2 * node + 1);
    // Leaves fill from the left: the right child may be empty while the left one is not.
    const bool alone = round.tree.rows_of(2 * node + 1).size() == 0;
    LocalIndex component = Components<MemorySpace>::mixed;
    if (alone || left == right) component = left;
    round.components.of_node(node) = component;
  }
};

/// Offers the edges known before the search, which limit it: candidates of earlier rounds, and
/// neighbours along the curve (Prokopenko, Sao and Lebrun-Grandie 2023).
template <class MemorySpace>
struct OfferKnownEdges {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    const LocalIndex here = round.components.of_row(i);
    if (round.has_candidate(i)) round.offer(here, round.candidates.distance2(i));
    if (i + 1 == round.tree.rows) return;
    const LocalIndex next = round.components.of_row(i + 1);
    if (next == here) return;
    const Real d2 = round.distance2(i, i + 1);
    round.offer(here, d2);
    round.offer(next, d2);
  }
};

/// Lists the particles that must search, with their search distance. A particle does not search if
/// all particles of other components are known to be farther than the best edge of its own
/// component.
template <class MemorySpace>
struct SelectSearching {
  BoruvkaRound<MemorySpace> round;
  Kokkos::View<LocalIndex*, Kokkos::LayoutLeft, MemorySpace> searching;

  KOKKOS_FUNCTION void operator()(const Count i, Count& sum, const bool final) const {
    const Real limit = from_ordered_key<Real>(round.least_key(round.components.of_row(i)));
    const Real searched = round.candidates.distance2(i);
    const bool found = round.candidates.row(i) != Candidates<MemorySpace>::none;
    // Other particles may lie at the same distance as a candidate that is now in the same
    // component.
    const bool searches = !round.has_candidate(i) && (found ? searched <= limit : searched < limit);
    if (final && searches) {
      searching(sum) = static_cast<LocalIndex>(i);
      round.candidates.row(i) = Candidates<MemorySpace>::none;
      round.candidates.distance2(i) = limit;
    }
    sum += searches;
  }
};

template <class MemorySpace>
struct OfferCandidates {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    if (round.has_candidate(i))
      round.offer(round.components.of_row(i), round.candidates.distance2(i));
  }
};

/// Finds the smallest pair among the candidates at the least distance of their component.
template <class MemorySpace>
struct OfferPairs {
  BoruvkaRound<MemorySpace> round;
  KOKKOS_FUNCTION void operator()(const Count i) const {
    if (!round.has_candidate(i)) return;
    const LocalIndex component = round.components.of_row(i);
    if (ordered_key(round.candidates.distance2(i)) == round.least_key(component))
      Kokkos::atomic_min(&round.least_pair(component), round.candidate_pair(i));
  }
};

/// Joins each component with the one at the other end of its least edge. If two components chose
/// the same edge, only the one whose join succeeds counts and stores it.
template <class MemorySpace>
struct JoinComponents {
  BoruvkaRound<MemorySpace> round;
  SpanningTree<MemorySpace> edges;  ///< room for all edges, or empty: edges are not stored
  Kokkos::View<Count, MemorySpace> edge_count;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    if (round.candidates.row(i) == Candidates<MemorySpace>::none) return;
    const LocalIndex component = round.components.of_row(i);
    const std::uint64_t pair = round.candidate_pair(i);
    // An edge inside the component never equals its least pair, so stale candidates stop here.
    if (pair != round.least_pair(component)) return;
    if (!round.sets.unite(component, round.candidates.row(i))) return;
    const Count slot = Kokkos::atomic_fetch_add(&edge_count(), Count{1});
    if (edges.extent(0) == 0) return;
    TreeEdge edge;
    edge.distance2 = round.candidates.distance2(i);
    edge.a = static_cast<LocalIndex>(pair >> 32);
    edge.b = static_cast<LocalIndex>(pair);
    edges(slot) = edge;
  }
};

}  // namespace copse::fof
