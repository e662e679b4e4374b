#pragma once
/// \file
/// The fields that a Barnes-Hut walk must compute: its own decisions for a query, but every
/// accepted node is expanded in double from the bodies below it (gravity/legendre_terms.hpp). They
/// differ from computed fields by rounding only, at any opening angle; a missing or wrong moment
/// differs by its whole contribution. Without softening.

#include "brute_force.hpp"
#include <copse/gravity/gravity_tree.hpp>
#include <copse/tree/octree.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace copse::traversal {

/// A walk's tree, opening radii and order of queries, in host memory.
struct DecidingWalk {
  Kokkos::View<const OctreeNode*, Kokkos::HostSpace> nodes;
  Kokkos::View<const Monopole*, Kokkos::HostSpace> bodies;    ///< in tree order
  Kokkos::View<const Monopole*, Kokkos::HostSpace> monopole;  ///< [nodes]
  Kokkos::View<const Real*, Kokkos::HostSpace> opening2;      ///< [nodes]
  std::vector<LocalIndex> queries;                            ///< in the order of the walk
  Count together = 1;  ///< queries per packet; a packet opens a node if any of its queries would
};

struct DecidedField {
  GravityField<double> field;
  Count nodes = 0, bodies = 0;  ///< accepted nodes, and bodies of opened leaves
};

/// The fields of queries `chosen` at `points`, with moments up to `order`. Nodes are opened or
/// accepted by distances in `Real`, as in walks. On host threads; O(chosen * n * order).
std::vector<DecidedField> decided_fields(const DecidingWalk& walk, const HostPoints<3>& points,
                                         int order, const std::vector<LocalIndex>& chosen);

/// Number of queries compared with decided fields: 100, or fewer for more than 200,000 bodies.
constexpr Count decided_queries(Count n) {
  return std::max<Count>(4, std::min<Count>(100, 20'000'000 / std::max<Count>(n, 1)));
}

}  // namespace copse::traversal
