#include "ghost_lists.hpp"

namespace copse::collide {

GhostChanges changes_between(const std::vector<Tag>& before, const std::vector<Tag>& after) {
  GhostChanges changes;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (j == after.size() || (i < before.size() && before[i] < after[j])) {
      changes.deleted.push_back(static_cast<LocalIndex>(i++));
    } else if (i == before.size() || after[j] < before[i]) {
      changes.added.push_back(static_cast<LocalIndex>(j++));
    } else {
      changes.moved.push_back(static_cast<LocalIndex>(j++));
      ++i;
    }
  }
  return changes;
}

GhostChanges apply_changes(std::vector<Tag>& list, const std::vector<LocalIndex>& deleted,
                           const std::vector<Tag>& added) {
  GhostChanges changes;
  std::vector<Tag> result;
  result.reserve(list.size() + added.size());
  std::size_t next_deleted = 0, next_added = 0;
  const auto add_below = [&](Tag limit, bool all) {
    while (next_added < added.size() && (all || added[next_added] < limit)) {
      changes.added.push_back(static_cast<LocalIndex>(result.size()));
      result.push_back(added[next_added++]);
    }
  };
  for (std::size_t place = 0; place < list.size(); ++place) {
    if (next_deleted < deleted.size() && deleted[next_deleted] == place) {
      ++next_deleted;
      continue;
    }
    add_below(list[place], false);
    changes.moved.push_back(static_cast<LocalIndex>(result.size()));
    result.push_back(list[place]);
  }
  add_below(0, true);
  list = std::move(result);
  return changes;
}

}  // namespace copse::collide
