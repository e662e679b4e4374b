#pragma once
/// \file
/// Ways to spoil labels, so that it can be seen that --verify notices.

#include "linker.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::fof {

enum class Sabotage : std::uint8_t {
  lose_member,   ///< a particle of the largest group is on its own
  merge_groups,  ///< two groups become one
  wrong_label,   ///< a group's label is not its smallest row
  split_group    ///< half of a group becomes another
};

std::vector<std::string> sabotage_names();
bool is_sabotage(const std::string& name);
/// \throws InputError for a name that is none
Sabotage sabotage_named(const std::string& name);
/// \throws InputError if the labels have no group to spoil
void apply_sabotage(Sabotage sabotage, const Labels<Kokkos::HostSpace>& labels);

}  // namespace copse::fof
