#pragma once
/// \file
/// The error of a walk that opened a node whose children or bodies are not on the rank.

#include "../body_tree.hpp"

#include <Kokkos_Core.hpp>

namespace copse::gravity {

/// A walk that opens a node without its parts gets the only row of such nodes, `nan_row`, whose
/// mass is NaN. O(targets); no cost in the walk itself.
/// \throws std::logic_error if the field of a target is NaN, with the node that this target is
/// nearest to, in units of opening radii, of those without their parts
template <class ExecutionSpace>
void refuse_missing_nodes(const ExecutionSpace& space,
                          const BodyTree<typename ExecutionSpace::memory_space>& tree,
                          LocalIndex nan_row,
                          const QueryList<typename ExecutionSpace::memory_space>& targets,
                          const GravityFields<typename ExecutionSpace::memory_space>& fields,
                          int rank);

}  // namespace copse::gravity
