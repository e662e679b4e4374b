#pragma once
/// \file
/// The lists of ghosts that two ranks share, and their changes from one choice of ghosts to the
/// next.
///
/// [Li, Scott, Twigg 2012] section 2.6 sends three lists to each neighbour: ghosts that are *new*,
/// that *moved* and that are *deleted*. Here sender and receiver keep each list sorted by id, so a
/// moved ghost needs no name: its place in the list is enough.

#include "../state.hpp"

#include <vector>

namespace copse::collide {

/// How a sorted list of ids becomes another one.
struct GhostChanges {
  std::vector<LocalIndex> deleted;  ///< places in the old list, ascending
  std::vector<LocalIndex> moved;  ///< places in the new list of ids that were in the old, ascending
  std::vector<LocalIndex> added;  ///< places in the new list of the others, ascending
};

/// Both lists ascend. O(lengths).
GhostChanges changes_between(const std::vector<Tag>& before, const std::vector<Tag>& after);

/// The receiver's side: removes the ids at the places `deleted` and adds `added`, which ascend.
/// \return `moved` and `added`, places in the new list; `deleted` stays empty
GhostChanges apply_changes(std::vector<Tag>& list, const std::vector<LocalIndex>& deleted,
                           const std::vector<Tag>& added);

}  // namespace copse::collide
