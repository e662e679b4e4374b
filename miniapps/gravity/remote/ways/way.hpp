#pragma once
/// \file
/// What the file of a way needs: the base class, the factory of its own class, and the marks of
/// missing nodes.

#include "fetched_trees.hpp"
#include <copse/backend/backends.hpp>

namespace copse::gravity {

template <template <class> class Way, class ExecutionSpace>
std::unique_ptr<RemoteTree<ExecutionSpace>> make_way(const ExecutionSpace& space,
                                                     CountedMessages& messages, Count levels) {
  return std::make_unique<Way<ExecutionSpace>>(space, messages, levels);
}

/// Marks nodes whose parts are missing by 1, others by 0.
template <class MemorySpace>
struct MarkMissing {
  Kokkos::View<const OctreeNode*, MemorySpace> nodes;
  LocalIndex missing;  ///< the row of missing nodes
  Kokkos::View<std::uint8_t*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Count i) const {
    const OctreeNode node = nodes(i);
    marks(i) = node.is_leaf() && node.begin == missing;
  }
};

}  // namespace copse::gravity

#define COPSE_INSTANTIATE_WAY(Space, Way) \
  template std::unique_ptr<RemoteTree<Space>> make_way<Way>(const Space&, CountedMessages&, Count);
