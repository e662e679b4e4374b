#pragma once
/// \file
/// What the file of a way needs: the base class, and the factory of its own class.

#include "fetched_trees.hpp"
#include <copse/backend/backends.hpp>

namespace copse::gravity {

template <template <class> class Way, class ExecutionSpace>
std::unique_ptr<RemoteTree<ExecutionSpace>> make_way(const ExecutionSpace& space,
                                                     CountedMessages& messages, Count levels) {
  return std::make_unique<Way<ExecutionSpace>>(space, messages, levels);
}

}  // namespace copse::gravity

#define COPSE_INSTANTIATE_WAY(Space, Way)                             \
  template std::unique_ptr<RemoteTree<Space>> make_way<Way>(const Space&, CountedMessages&, Count);
