#pragma once
/// \file
/// Ways to spoil labels, and to break linking over ranks from within, so that tests can see that
/// --verify notices.

#include "linker.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace copse::fof {

enum class Sabotage : std::uint8_t {
  lose_member,   ///< a particle of the largest group is on its own
  merge_groups,  ///< two groups become one
  wrong_label,   ///< a group's label is not its smallest row
  split_group    ///< half of a group becomes another
};

/// Of linking over several ranks.
enum class Fault : std::uint8_t {
  none,
  lost_ghosts,    ///< no particle is sent as a ghost
  lost_links,     ///< no rank says which of its groups continue elsewhere
  mixed_ghosts,   ///< ghosts are taken for one another
  kept_fragments  ///< all ranks but the first keep the names of their parts of groups
};

/// none for a name that is no fault.
Fault fault_named(const std::string& name);
bool is_fault(const std::string& name);

bool is_sabotage(const std::string& name);
/// \throws InputError for a name that is none
Sabotage sabotage_named(const std::string& name);
/// \throws InputError if the labels have no group to spoil
void apply_sabotage(Sabotage sabotage, const Labels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
