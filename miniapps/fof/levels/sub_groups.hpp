#pragma once
/// \file
/// Groups within groups: particles linked with shorter and shorter links, level by level
/// (hierarchical refinement, which [Wood 2014] announces in its abstract).
///
/// Level 0 is what fof finds in any case. Each further level links all particles with its own b and
/// psi, neither longer than those of the level above, so its groups are parts of groups there
/// (confine.hpp). With the level as a height the groups form a forest; `parent` is its edge.

#include "../catalogue/catalogue.hpp"
#include "../catalogue/groups.hpp"
#include "../measured_linking.hpp"
#include "../request.hpp"
#include <copse/app/session.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace copse::fof {

/// The sabotage that joins two groups of level 1, for --sabotage.
inline constexpr const char* merged_sub_groups_sabotage = "merge-subgroups";

/// Labels of one level below the first.
struct SubLevel {
  int level = 0;
  LinkingLengths links;
  Labels<Kokkos::HostSpace> labels;  ///< of `LinkedInput::particles`
  Count crossing = 0;                ///< groups that rounding let cross a border, see confine.hpp
  double seconds = 0.0;
};

/// `input` with the links of a level.
/// \throws InputError as make_friendship
LinkedInput input_of_level(const Request& request, const LinkedInput& input, int level);

/// Links every level below the first, each within the one above; `top` are the labels of level 0.
/// One call of the method a level.
std::vector<SubLevel> link_levels(const Request& request, const LinkedInput& input,
                                  const std::string& backend, const std::string& method,
                                  const Labels<Kokkos::HostSpace>& top);

/// Holds each level against the flood fill of reference.hpp, as verify_labels does, and against the
/// level above; the names of the checks begin with "level_<k>_".
void verify_levels(const Request& request, const LinkedInput& input,
                   const std::vector<SubLevel>& levels, const Labels<Kokkos::HostSpace>& top,
                   app::Verification& verification);

/// Appends the groups of a level to those of the levels above, and its catalogue to theirs: ids go
/// on, each group gets its level and the id of the group that holds it one level above. The levels
/// are of the same particles, all with their catalogues of the same columns.
void append_level(Groups<Kokkos::HostSpace>& groups, Catalogue& catalogue,
                  const Groups<Kokkos::HostSpace>& sub_groups, Catalogue sub_catalogue);

}  // namespace copse::fof
