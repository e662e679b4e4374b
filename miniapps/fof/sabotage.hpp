#pragma once
/// \file
/// Corrupts labels, or injects faults into linking over ranks. Tests use it to show that --verify
/// detects the damage.

#include "linker.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace copse::fof {

enum class Sabotage : std::uint8_t {
  lose_member,   ///< a particle of the largest group becomes a separate group
  merge_groups,  ///< two groups become one
  wrong_label,   ///< the label of a group is not its smallest particle index
  split_group    ///< half of a group becomes a separate group
};

/// Faults of linking over several ranks.
enum class Fault : std::uint8_t {
  none,
  lost_ghosts,    ///< no particle is sent as a ghost
  lost_links,     ///< links between ranks are not reported
  mixed_ghosts,   ///< ghosts are confused with one another
  kept_fragments  ///< all ranks but the first keep the labels of their fragments
};

/// Returns `none` if the name is not a fault.
Fault fault_named(const std::string& name);
bool is_fault(const std::string& name);

bool is_sabotage(const std::string& name);
/// \throws InputError if there is no such sabotage
Sabotage sabotage_named(const std::string& name);
/// \throws InputError if there is no group to corrupt
void apply_sabotage(Sabotage sabotage, const Labels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
