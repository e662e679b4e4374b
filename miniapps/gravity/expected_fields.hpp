#pragma once
/// \file
/// The fields that a method must compute: its own decisions for a body, but every accepted node is
/// expanded in double from the bodies below it. They differ from computed fields by rounding only,
/// at any opening angle; a missing or wrong moment differs by its whole contribution. The
/// expansions are those of gravity/legendre_terms.hpp.

#include "body_tree.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::gravity {

/// False where the reference cannot repeat the decisions: images, last fields, active bodies and
/// shared walks; and for `direct`, which has none.
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
