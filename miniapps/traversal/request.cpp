#include "request.hpp"

#include <copse/backend/error.hpp>

#include <algorithm>

namespace copse::traversal {
namespace {

std::size_t place_of(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError("there is no '" + name + "'");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::vector<std::string> walk_names() {
  return {"recursive", "ropes", "lockstep", "fsm", "group"};
}

std::vector<std::string> schedule_names() {
  return {"none", "sorted", "hybrid", "auto"};
}

WalkKind walk_named(const std::string& name) {
  return static_cast<WalkKind>(place_of(name, walk_names()));
}

ScheduleKind schedule_named(const std::string& name) {
  return static_cast<ScheduleKind>(place_of(name, schedule_names()));
}

std::vector<std::string> box_tree_names() {
  return {"kd", "hilbert", "morton"};
}

BoxTreeKind box_tree_named(const std::string& name) {
  return static_cast<BoxTreeKind>(place_of(name, box_tree_names()));
}

}  // namespace copse::traversal
