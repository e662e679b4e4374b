#pragma once
/// \file
/// The error of a walk that opened a node whose children or bodies are not on the rank.

#include "../body_tree.hpp"

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// Detects that a walk opened a node without its parts. The only row of such nodes is `nan_row`,
/// whose mass is NaN, so the field of the target becomes NaN. O(targets); no cost in the walk
/// itself.
/// \throws std::logic_error if the field of a target is NaN. The message names the node without its
/// parts that is nearest to this target, in units of the node's opening radius.
template <class ExecutionSpace>
void refuse_missing_nodes(const ExecutionSpace& space,
                          const BodyTree<typename ExecutionSpace::memory_space>& tree,
                          LocalIndex nan_row,
                          const QueryList<typename ExecutionSpace::memory_space>& targets,
                          const GravityFields<typename ExecutionSpace::memory_space>& fields,
                          int rank);

}  // namespace copse::gravity
