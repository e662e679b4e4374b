#pragma once
/// \file
/// What every builder of an ORB starts from: options that make sense, and a heap with its root.

#include <copse/backend/error.hpp>
#include <copse/tree/orb_builder.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace copse {

/// \throws InputError if the leaves are 0 or too many, or if one rank cannot hold `rows` particles
inline void check_orb_size(Count rows, std::uint32_t leaves) {
  if (leaves < 1 || leaves > max_orb_leaves)
    throw InputError("the number of leaves must be from 1 to " + std::to_string(max_orb_leaves) +
                     ", not " + std::to_string(leaves));
  if (rows > max_particles_per_rank)
    throw InputError(std::to_string(rows) +
                     " particles on one rank are more than the 2^32 it can hold");
}

/// A tree of which only the root exists; it holds n particles.
template <class ExecutionSpace>
OrbTree<typename ExecutionSpace::memory_space> rooted_orb_tree(const ExecutionSpace& space, Count n,
                                                               const OrbOptions& options) {
  OrbTree<typename ExecutionSpace::memory_space> tree;
  tree.leaves = options.leaves;
  tree.rule = options.rule;
  tree.axis_rule = options.axis_rule;
  tree.cells = decltype(tree.cells)("copse::orb::cells", Count{2} << orb_depth(options.leaves));
  OrbCell root;
  root.lower = options.box.lower;
  root.upper = options.box.upper;
  root.end = n;
  root.leaves = options.leaves;
  Kokkos::deep_copy(space, Kokkos::subview(tree.cells, 1), root);
  return tree;
}

}  // namespace copse
