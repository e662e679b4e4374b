#pragma once
/// \file
/// The movers that work out of place behind one type, so that a level is compiled once for both.

#include "../variant.hpp"
#include "atomic.hpp"
#include <copse/tree/bisection.hpp>

namespace copse {

/// A mover (bisection.hpp) that does as the variant says.
struct OrbMover {
  static constexpr bool in_place = false;
  PartitionMethod method = PartitionMethod::scan;

  /// Bytes of the workspace for a level of `cells` cells of `rows` rows.
  template <class Key>
  constexpr Count workspace_bytes(Count rows, Count cells) const {
    return method == PartitionMethod::atomic ? MoveByAtomics::workspace_bytes<Key>(rows, cells)
                                             : MoveStably::workspace_bytes<Key>(rows, cells);
  }

  template <class ExecutionSpace, class Keys, class LevelT, class MemorySpace, class... Ts>
  auto operator()(const ExecutionSpace& space, const Keys& keys, const LevelT& level,
                  const Columns<Ts...>& columns, Workspace<MemorySpace>& workspace) const {
    return method == PartitionMethod::atomic
               ? MoveByAtomics{}(space, keys, level, columns, workspace)
               : MoveStably{}(space, keys, level, columns, workspace);
  }
};

}  // namespace copse
