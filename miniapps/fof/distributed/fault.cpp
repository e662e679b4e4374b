#include "fault.hpp"

#include <algorithm>

namespace copse::fof {

std::vector<std::string> fault_names() {
  return {"rank-lost-ghosts", "rank-lost-links", "rank-mixed-ghosts", "rank-kept-fragments"};
}

bool is_fault(const std::string& name) {
  return fault_named(name) != Fault::none;
}

Fault fault_named(const std::string& name) {
  const auto names = fault_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return Fault::none;
  return static_cast<Fault>(found - names.begin() + 1);
}

}  // namespace copse::fof
