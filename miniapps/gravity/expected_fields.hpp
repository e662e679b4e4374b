#pragma once
/// \file
/// The fields that a method must compute: its own decisions for a body, but every accepted node is
/// expanded in double from the bodies below it. They differ from computed fields by rounding only,
/// at any opening angle; a missing or wrong moment differs by its whole contribution.
///
/// With D from the expansion's centre to the centre of mass of an accepted node, and t from there
/// to a body of the node, less the vector y from the expansion's centre to the target,
///   1 / |D + t| = sum of T_k,  T_k = |t|^k P_k(-cos(D, t)) / |D|^(k + 1)
/// with the Legendre polynomials P_k. No tensor appears: the recurrence of P_k gives
///   k |D|^2 T_k = -(2 k - 1) (D.t) T_(k - 1) - (k - 1) |t|^2 T_(k - 2)
/// Moments up to rank p in local expansions up to rank p + 1 keep T_0 to T_(p + 1), less the part
/// of T_(p + 1) that only rank p + 1 of the moments has: T_(p + 1) at y = 0. In a tree walk the
/// expansion's centre is the target itself.

#include "body_tree.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::gravity {

/// Decisions of bodies alone, by their last fields, and groups of active bodies are not repeated
/// here.
inline bool has_expected_fields(const Request& request, const std::string& method) {
  return method != "direct" && !request.periodic && !request.is_relative() &&
         request.active_fraction == 1.0 && request.host_share == 0.0;
}

/// How many targets `verify` compares with expected fields.
constexpr Count expected_targets(Count n) {
  constexpr Count most = 100, least = 4, work = 20'000'000;
  return n * most <= work ? most : n * least >= work ? least : work / n;
}

/// The fields at `rows` of a body tree without softening, G = 1, by the decisions of a method that
/// has_expected_fields. The order of the request may exceed 4. Nodes are opened or accepted
/// by the tree's opening radii and compared in `Real`, as in walks. On host threads; O(rows * n *
/// order), after a copy of the tree.
template <class ExecutionSpace>
std::vector<GravityField<double>> expected_fields(
    const ExecutionSpace& space, const BodyTree<typename ExecutionSpace::memory_space>& bodies,
    const Request& request, const std::string& method, const std::vector<LocalIndex>& rows);

}  // namespace copse::gravity
