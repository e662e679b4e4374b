#include "group_finder.hpp"

#include <limits>
#include <stdexcept>

namespace copse::peers {

std::vector<LocalIndex> smallest_members(const GroupNames& names) {
  constexpr LocalIndex none = std::numeric_limits<LocalIndex>::max();
  std::vector<LocalIndex> smallest(names.size() + 1, none);
  std::vector<LocalIndex> labels(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    labels[i] = static_cast<LocalIndex>(i);
    if (names[i] == -1) continue;
    if (names[i] < 0 || static_cast<std::size_t>(names[i]) > names.size())
      throw std::runtime_error("a group has the name " + std::to_string(names[i]));
    LocalIndex& first = smallest[static_cast<std::size_t>(names[i])];
    if (first == none) first = labels[i];
    labels[i] = first;
  }
  return labels;
}

}  // namespace copse::peers
