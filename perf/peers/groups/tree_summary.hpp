#pragma once
/// \file
/// What spanning trees of different programs have in common. Their edges differ where distances are
/// equal; their number and their total length do not.

#include "clear_problem.hpp"
#include <copse/backend/types.hpp>

#include <array>
#include <vector>

namespace copse::peers {

/// Edges by the particles at their ends.
using TreeEdges = std::vector<std::array<LocalIndex, 2>>;

struct TreeSummary {
  Count parts = 0;    ///< components of the particles that the edges connect; 1 for a tree
  Count cycles = 0;   ///< edges between particles that those before it connect; 0 for a tree
  double length = 0;  ///< sum of all edges, of the positions in double precision
};

/// On one thread, without the code that made the edges. O(n log n)
/// \throws std::runtime_error if an end is no particle
TreeSummary summary_of(const TreeEdges& edges, const ClearProblem& problem);

}  // namespace copse::peers
