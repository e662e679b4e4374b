#pragma once
/// \file
/// Ways to break linking over several ranks from within, so that it can be seen that --verify
/// notices.

#include <cstdint>
#include <string>
#include <vector>

namespace copse::fof {

enum class Fault : std::uint8_t {
  none,
  lost_ghosts,    ///< no particle is sent as a ghost
  lost_links,     ///< no rank says which of its groups go on elsewhere
  mixed_ghosts,   ///< ghosts are taken for one another
  kept_fragments  ///< all ranks but the first keep the names of their parts of groups
};

/// As `--sabotage` knows them, without none.
std::vector<std::string> fault_names();
bool is_fault(const std::string& name);
/// none for a name that is no fault.
Fault fault_named(const std::string& name);

}  // namespace copse::fof
